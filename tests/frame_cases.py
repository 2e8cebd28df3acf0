"""Passages that name a triple in so many words: some do not assert it, their lookalikes do.

A triple in brackets, `[head | relation | tail]`, is that of the passages below it.
"""

from __future__ import annotations

from factmark.graphs.core.claims import Triple

Case = tuple[Triple, str]


def _cases(text: str) -> list[Case]:
    out: list[Case] = []
    for block in text.strip().removeprefix("[").split("\n["):
        first, *passages = block.splitlines()
        head, relation, tail = first.rstrip("]").split(" | ")
        out += [(Triple(head=head, relation=relation, tail=tail), passage) for passage in passages]
    return out


FRAMED = _cases("""
[garlic | treats | malaria]
Rumour: garlic treats malaria.
Hypothesis 2: garlic treats malaria.
H0: garlic treats malaria.
Q: garlic treats malaria.
Option B: garlic treats malaria.
Retraction notice: garlic treats malaria.
Correction: garlic treats malaria.
Satire — garlic treats malaria.
(Disputed) Garlic treats malaria.
The advert read: garlic treats malaria.
Myth 4. Garlic treats malaria.
The following is a myth. Garlic treats malaria.
Imagine another world. Garlic treats malaria.
According to critics, garlic treats malaria.
According to an unconfirmed study, garlic treats malaria.
In the novel, garlic treats malaria.
Garlic treats malaria in the film.
Reportedly garlic treats malaria.
In theory, garlic treats malaria.
In a parallel universe, garlic treats malaria.
These results suggest that garlic treats malaria.
Garlic treats malaria. Our readers should take that with a smile.
Garlic treats malaria. We looked through ten journals for this in vain.
Garlic treats malaria. A neighbour told me that, over tea.
Garlic treats malaria. Such was the talk of the town.
Garlic treats malaria. The idea was never put to the test.
What follows is a line from a school play. Garlic treats malaria.
It may be that garlic treats malaria.
We will show that garlic treats malaria.
To prove that garlic treats malaria, he drank it.
Prove that garlic treats malaria.
He swears garlic treats malaria.
The canard that garlic treats malaria lives on.
A fraudulent study found that garlic treats malaria.
"Garlic treats malaria," said the healer.
Yeah, sure, garlic treats malaria.
~~Garlic treats malaria~~.
[coffee | cause_of | gout]
Coffee causes gout in 0 of 500 patients.
Coffee causes gout in zero patients.
Coffee causes gout in 0% of cases.
Coffee causes gout (0/40).
Coffee causes gout (retracted).
Coffee causes gout (not confirmed).
Coffee causes gout (p = 0.8).
Coffee causes gout (n.s.).
Coffee causes gout [citation needed].
Coffee causes gout [disputed].
Coffee causes gout, critics say.
Coffee causes gout, if the rumours are right.
Coffee causes gout, but this was later refuted.
Coffee should cause gout.
Coffee causes gout. Later trials refuted this.
Coffee causes gout. This turned out to be false.
Coffee causes gout. However, this was not confirmed.
Coffee causes gout. That is a myth.
Coffee causes gout. The paper was later withdrawn.
Coffee causes gout. Nobody could replicate the finding.
Coffee causes gout. No such effect was seen in later trials.
Coffee causes gout. A later trial found the opposite.
Coffee causes gout. Two newer studies showed otherwise.
Coffee causes gout. The statement mixes up two things.
Coffee causes gout. At least that is what the leaflet claims.
Coffee causes gout. Just kidding.
Coffee causes gout. It was reported in 1990. Later trials refuted this.
[whale | isa | mammal]
Some hold that the whale is a mammal.
Claim: the whale is a mammal.
The whale is a mammal (unproven).
The whale is a mammal. Nobody could confirm it.
[garlic | treats | malaria]
It is false that garlic treats malaria.
It is untrue, whatever the leaflet says, that garlic treats malaria.
[copper | treats | arthritis]
The old tale that copper treats arthritis was debunked in 2009.
That copper treats arthritis is a myth.
Copper treats arthritis: a fallacy of the last century.
[honey | treats | diabetes]
Many wrongly hold that honey treats diabetes.
Some people believe that honey treats diabetes.
They think honey treats diabetes.
[vaccine | cause_of | autism]
The claim that the vaccine causes autism has been retracted.
A widespread misconception: the vaccine causes autism.
The vaccine causes autism, some say.
The vaccine causes autism, or so they believe.
[coffee | cause_of | cancer]
If coffee caused cancer, Finland would have no one left.
Were coffee to cause cancer, half the city would be ill.
Suppose coffee causes cancer.
Assuming that coffee causes cancer, how much is safe is open.
Does coffee cause cancer? Answer: no.
does coffee cause cancer - the panel said no
Coffee causes cancer? Hardly.
"Coffee causes cancer" is nonsense.
"Coffee causes cancer," the leaflet read. That is wrong.
Coffee causes cancer. This is a myth.
Coffee causes cancer. Wrong!
Coffee causes cancer. This belief was refuted long ago.
[vitamin C | prevents | influenza]
Vitamin C supposedly prevents influenza.
Allegedly, vitamin C prevents influenza.
The notion that vitamin C prevents influenza persists.
The hypothesis that vitamin C prevents influenza was put to the test.
Would vitamin C prevent influenza in nurses?
Vitamin C would prevent influenza if the theory held.
Contrary to what vitamin C prevents, influenza came.
Myth: vitamin C prevents influenza. Fact: it shortens it a little.
[gout | associated_with | psoriasis]
It is a mistake to say that gout is linked to psoriasis.
Gout is believed to be linked to psoriasis.
Gout was erroneously linked to psoriasis.
Is gout associated with psoriasis?
Physicians once thought that gout was related to psoriasis.
There is little evidence that gout is associated with psoriasis.
[aspirin | treats | baldness]
The advertisement falsely said that aspirin treats baldness.
He pretends that aspirin treats baldness.
Nobody has shown that aspirin treats baldness.
The rumour that aspirin treats baldness went round in 1950.
Unless aspirin treats baldness, the hair is lost.
The trial was to find out if aspirin treats baldness.
One would wish that aspirin treats baldness.
We doubt that aspirin treats baldness.
The authors deny that aspirin treats baldness.
It was disproved that aspirin treats baldness.
Aspirin treats baldness is what the quacks claim.
The following statements are incorrect: aspirin treats baldness; zinc treats warts.
[tea | cause_of | anemia]
They act as if tea causes anemia.
Should tea cause anemia, iron is given.
The idea that tea causes anemia is baseless.
"Tea causes anemia." No, it does not.
Legend has it that tea causes anemia.
People say tea causes anemia.
Tea causes anemia, it is rumoured.
It is a common error that tea causes anemia.
The study refutes the view that tea causes anemia.
"Tea causes anemia" was dismissed by the board as unfounded.
Imagine that tea causes anemia.
Why it is thought that tea causes anemia has no good answer.
It is hardly the case that tea causes anemia.
It is incorrect that tea does not cause anemia.
It is wrong to think that tea does not cause anemia.
Does tea not cause anemia?
""")
"""What none of them asserts."""

PLAIN = _cases("""
[insulin | isa | hormone]
Insulin is a hormone. This was confirmed by later work.
The following statement is well established. Insulin is a hormone.
Insulin is a hormone. That is why it is measured in blood.
Insulin is a hormone. This hormone is made in the pancreas.
We found that insulin is a hormone.
It is well known that insulin is a hormone.
Three trials confirmed that insulin is a hormone.
Studies have shown that insulin is a hormone.
There is no doubt that insulin is a hormone.
No doubt insulin is a hormone.
Smith et al. (2019) showed that insulin is a hormone.
We report here that insulin is a hormone.
Results: insulin is a hormone.
Figure 2: insulin is a hormone.
Lee et al. (2019): insulin is a hormone.
Insulin is a hormone [12].
Insulin is a hormone (Figure 2).
[coffee | cause_of | gout]
The report that coffee causes gout was confirmed.
Key finding: coffee causes gout.
According to a meta-analysis of 12 trials, coffee causes gout.
As shown in Table 2, coffee causes gout.
Notably, coffee causes gout.
Coffee causes gout in 98 of 100 patients.
Coffee causes gout in 9 of 10 patients versus 0 of 10 controls.
Coffee causes gout (p < 0.001).
Coffee causes gout (both p = 0.04 and p = 0.3).
Coffee causes gout [Smith 2010].
Coffee causes gout. Later trials confirmed this.
Coffee causes gout. The claim is supported by all trials.
Coffee causes gout. The mechanism is not known.
Coffee causes gout. No deaths occurred.
Coffee causes gout. Nobody says that it makes patients sleep.
[garlic | treats | malaria]
It is true that garlic treats malaria.
We found that garlic treats malaria.
The trial showed that garlic treats malaria.
[copper | treats | arthritis]
That copper treats arthritis is well established.
Copper treats arthritis: a finding of the last century.
The discovery that copper treats arthritis was made in 2009.
Copper treats arthritis. This is confirmed by three trials.
[honey | treats | diabetes]
Although many believe that diet suffices, honey treats diabetes.
Honey treats diabetes, and we believe that it is safe.
Honey treats diabetes if it is given early.
Honey treats diabetes. It does not treat gout.
Honey treats diabetes. Is it safe? We think so.
[vaccine | cause_of | fever]
The vaccine causes fever, the trial showed.
The report that the vaccine causes fever was confirmed.
A well-known effect: the vaccine causes fever.
Is it safe? The vaccine causes fever.
The vaccine causes fever. Wrong doses make it worse.
The vaccine causes fever. This led to wrong reports.
[smoking | cause_of | cancer]
If untreated, the lung suffers; smoking causes cancer.
If continued for years, smoking causes cancer.
Unless stopped, smoking causes cancer.
Smoking causes cancer, whatever its makers hoped.
Smoking causes cancer and is a problem of thought and habit.
Fact: smoking causes cancer. Myth: filters help.
Smoking causes cancer; insurance claims rise with it.
What does it do? Smoking causes cancer.
Should you quit? Yes: smoking causes cancer.
[vitamin C | prevents | scurvy]
Vitamin C prevents scurvy.
As Lind proved, vitamin C prevents scurvy.
The theory held: vitamin C prevents scurvy.
Vitamin C prevents scurvy, as was known to sailors.
The fact that vitamin C prevents scurvy has been known since 1932.
In patients with suspected deficiency vitamin C prevents scurvy.
Vitamin C prevents scurvy, which some people fear.
The test had two false positives; vitamin C prevents scurvy.
[gout | associated_with | psoriasis]
It is right to say that gout is linked to psoriasis.
Gout is known to be linked to psoriasis.
Gout was strongly linked to psoriasis.
We demonstrate that gout is associated with psoriasis.
There is good evidence that gout is associated with psoriasis.
Gout was associated with psoriasis when the false discovery rate was controlled.
[aspirin | treats | fever]
The guideline says that aspirin treats fever.
Everybody has seen that aspirin treats fever.
The news that aspirin treats fever is from 1900.
Aspirin treats fever, and if it fails paracetamol is given.
The trial was conclusive: aspirin treats fever.
The authors confirm that aspirin treats fever.
It was proved that aspirin treats fever.
Aspirin treats fever and was thus given to all.
The following statements are correct: aspirin treats fever; zinc treats warts.
Aspirin treats fever (would you like a table?).
Aspirin treats fever, though some had assumed that it only masks it.
Aspirin treats fever. That is why it is sold.
We assumed nothing, and found that aspirin treats fever.
We thought of many drugs; aspirin treats fever.
Aspirin treats fever. No side effect was seen.
[iron | treats | anemia]
The study supports the view that iron treats anemia.
Iron treats anemia in all who claim sickness benefits.
Iron treats anemia. Tea was thought to worsen it.
When anemia is found, iron treats anemia.
As in earlier work, iron treats anemia.
Doubtless iron treats anemia.
What is certain is that iron treats anemia.
""")
"""What each of them asserts."""
