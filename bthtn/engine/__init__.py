"""The engine: what a character believes, how it plans, and how its plans run.

| package      | answers                                                     |
| ------------ | ----------------------------------------------------------- |
| `world`      | what is the case?                                           |
| `domain`     | what can be done?                                           |
| `plan`       | what is to be done?                                         |
| `text`       | how is that written, for people and in files?               |
| `planning`   | which plan is found?                                        |
| `replanning` | is the running plan kept, repaired or replaced?             |
| `agent`      | who acts, with which operators and sensors?                 |
| `behaviours` | how does a plan run?                                        |

It imports py_trees and nothing else, and nothing of the kit and the studio.
"""
