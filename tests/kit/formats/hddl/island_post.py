"""A small domain in HDDL with most of what there is: boats that bring parcels between islands."""

from bthtn.kit.formats.hddl.parser import domain_in, problem_in
from bthtn.kit.formats.hddl.source import Source

DOMAIN = """
; Boats bring parcels from island to island.
(define (domain Island-Post)
  (:requirements :typing :hierarchy :negative-preconditions :method-preconditions)
  (:types island place - object  boat parcel - thing  thing raft - object  raft - boat)
  (:constants HQ - island)
  (:predicates
    (at ?t - thing ?i - island)
    (in ?p - parcel ?b - boat)
    (route ?from ?to - island)
    (light ?b - boat)
    (delivered ?p - parcel))

  (:task deliver :parameters (?p - parcel ?to - island))
  (:task sail :parameters (?b - boat ?to - island))

  (:method is-there
    :parameters (?p - parcel ?to - island)
    :task (deliver ?p ?to)
    :precondition (at ?p ?to)
    :ordered-subtasks (and (sign ?p)))
  (:method by-boat
    :parameters (?p - parcel ?from ?to - island ?b - boat)
    :task (deliver ?p ?to)
    :precondition (and (at ?p ?from) (not (at ?p ?to)))
    :subtasks (and
      (fetch (sail ?b ?from)) (load (load ?p ?b ?from))
      (go (sail ?b ?to)) (drop (unload ?p ?b ?to)) (done (sign ?p)))
    :ordering (and (< fetch load) (< load go) (< go drop) (< drop done)))
  (:method stay
    :parameters (?b - boat ?to - island)
    :task (sail ?b ?to)
    :precondition (at ?b ?to)
    :ordered-subtasks ())
  (:method direct
    :parameters (?b - boat ?from ?to - island)
    :task (sail ?b ?to)
    :precondition (not (at ?b ?to))
    :ordered-subtasks (move ?b ?from ?to))
  (:method over
    :parameters (?b - boat ?by ?to - island)
    :task (sail ?b ?to)
    :precondition (not (at ?b ?to))
    :ordered-subtasks (and (sail ?b ?by) (move ?b ?by ?to))
    :constraints (not (= ?by ?to)))

  (:action move
    :parameters (?b - boat ?from ?to - island)
    :precondition (and (at ?b ?from) (route ?from ?to))
    :effect (and (not (at ?b ?from)) (at ?b ?to)))
  (:action load
    :parameters (?p - parcel ?b - boat ?i - island)
    :precondition (and (at ?p ?i) (at ?b ?i)
      (or (light ?b) (forall (?other - parcel) (not (in ?other ?b)))))
    :effect (and (not (at ?p ?i)) (in ?p ?b)))
  (:action unload
    :parameters (?p - parcel ?b - boat ?i - island)
    :precondition (and (in ?p ?b) (at ?b ?i))
    :effect (and (at ?p ?i) (not (in ?p ?b))))
  (:action sign
    :parameters (?p - parcel)
    :effect (delivered ?p)))
"""

PROBLEM = """
(define (problem monday)
  (:domain island-post)
  (:objects ada bo - parcel  gull - boat  tern - raft  north south east - island)
  (:htn :ordered-subtasks (and (deliver ada south) (deliver bo hq)))
  (:init
    (route hq north) (route north hq) (route north south) (route south north) (route east hq)
    (at ada north) (at bo east) (at gull hq) (at tern east) (light tern))
  (:goal (and (delivered ada) (delivered bo))))
"""

PLAN = """==>
0 move gull HQ north
1 load ada gull north
2 move gull north south
3 unload ada gull south
4 sign ada
5 load bo tern east
6 move tern east HQ
7 unload bo tern HQ
8 sign bo
root 20 21
20 deliver ada south -> by-boat 10 1 11 3 4
10 sail gull north -> direct 0
11 sail gull south -> direct 2
21 deliver bo HQ -> by-boat 12 5 13 7 8
12 sail tern east -> stay
13 sail tern HQ -> direct 6
<==
"""


def read(domain=DOMAIN, problem=PROBLEM):
    """The domain and the problem as data."""
    found = domain_in(Source("domain.hddl", domain))
    return found, problem_in(Source("problem.hddl", problem), found)
