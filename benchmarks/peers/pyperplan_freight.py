"""Freight in PDDL, as in the planning competitions' domain *logistics*."""

from __future__ import annotations

from collections.abc import Iterable

from benchmarks.domains.freight import Deliveries

DOMAIN = """
(define (domain freight) (:requirements :strips :typing)
 (:types package vehicle place city - object truck plane - vehicle airport - place)
 (:predicates (at ?x - object ?l - place) (in ?p - package ?v - vehicle)
  (of ?l - place ?c - city))
 (:action load :parameters (?p - package ?v - vehicle ?l - place)
  :precondition (and (at ?p ?l) (at ?v ?l))
  :effect (and (not (at ?p ?l)) (in ?p ?v)))
 (:action unload :parameters (?p - package ?v - vehicle ?l - place)
  :precondition (and (in ?p ?v) (at ?v ?l))
  :effect (and (not (in ?p ?v)) (at ?p ?l)))
 (:action drive :parameters (?t - truck ?from - place ?to - place ?c - city)
  :precondition (and (at ?t ?from) (of ?from ?c) (of ?to ?c))
  :effect (and (not (at ?t ?from)) (at ?t ?to)))
 (:action fly :parameters (?p - plane ?from - airport ?to - airport)
  :precondition (at ?p ?from)
  :effect (and (not (at ?p ?from)) (at ?p ?to))))
"""


def problem(asked: Deliveries) -> str:
    """Where everything is, and where the packages are to be."""
    places = asked.places.items()
    objects = {
        "package": asked.destination,
        "truck": asked.trucks,
        "plane": [asked.plane],
        "airport": asked.airports,
        "place": [place for place, _ in places if place not in asked.airports],
        "city": asked.trucks.values(),
    }
    declared = " ".join(f"{' '.join(names)} - {kind}" for kind, names in objects.items())
    facts = _facts("at", asked.at.items()) + _facts("of", places)
    return (
        f"(define (problem deliveries) (:domain freight) (:objects {declared})"
        f" (:init {facts}) (:goal (and {_facts('at', asked.destination.items())})))"
    )


def _facts(name: str, pairs: Iterable[tuple[str, str]]) -> str:
    return " ".join(f"({name} {one} {other})" for one, other in pairs)
