/** A claim names at most so many requirements. Pods that ask for too many together do not share one. */
import { LABEL } from '../../../../model/labels.ts'
import { toSpecs } from '../../../../model/requirementSpecs.ts'
import type { Requirements } from '../../../../model/requirements.ts'
import { MOST_REQUIREMENTS } from '../../../../model/requirementValidation.ts'
import { SIMULATED_LABELS } from './template.ts'

/** A claim names these, whether or not something asks for them. */
const ALWAYS_NAMED = [LABEL.instanceType, LABEL.zone, LABEL.capacityType]
/** A requirement becomes at most five entries, so shorter lists are not counted. */
const SHORT = Math.floor(MOST_REQUIREMENTS / 5) - ALWAYS_NAMED.length

/** Reports whether a claim with these requirements would name more than the API server accepts. */
export function isTooLong(requirements: Requirements): boolean {
  if (requirements.size <= SHORT) return false
  const written = new Map([...requirements].filter(([key]) => !Object.hasOwn(SIMULATED_LABELS, key)))
  const added = ALWAYS_NAMED.filter((key) => !written.has(key)).length
  return toSpecs(written).length + added > MOST_REQUIREMENTS
}
