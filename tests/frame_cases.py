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
[garlic | treats | malaria]
It is true that garlic treats malaria.
We found that garlic treats malaria.
The trial showed that garlic treats malaria.
These results suggest that garlic treats malaria.
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
If untreated, the lung suffers: smoking causes cancer.
If continued for years, smoking causes cancer.
Unless stopped, smoking causes cancer.
Smoking causes cancer, whatever its makers hoped.
Smoking causes cancer and is a problem of thought and habit.
"Smoking causes cancer" stands on each packet.
"Smoking causes cancer," the surgeon general wrote in 1964.
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
