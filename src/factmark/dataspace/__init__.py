"""The replica of the EHDS portal: what is published about it, and a generator that holds to that.

Pure: everything here makes text from facts, a scale and a seed. `factmark.io.dataspace` writes it.
"""

from factmark.dataspace.facts import COHORTS, POLICIES, Cohort, Policy
from factmark.dataspace.generate import Block, blocks, nquads, trig
from factmark.dataspace.plan import Plan, plan

__all__ = [
    "COHORTS",
    "POLICIES",
    "Block",
    "Cohort",
    "Plan",
    "Policy",
    "blocks",
    "nquads",
    "plan",
    "trig",
]
