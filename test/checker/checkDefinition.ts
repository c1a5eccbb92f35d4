/** Checks that the API server would accept the new claim, with the definition that is shipped and its rules as the API server evaluates them. */
import type { CreateClaim } from '../../shared/model/decision.ts'
import { claimDraftToKube } from '../../shared/wire/kube/print.ts'
import { createManifestValidator } from '../../shared/wire/schema/validateManifest.ts'
import { evaluateRule } from '../schema/celRules.ts'
import { type Violation, violation } from './violation.ts'

const validate = createManifestValidator(evaluateRule)

/** The answers by requirements: an evaluation takes milliseconds, and most claims ask for the same. */
const known = new Map<string, readonly string[]>()

export function checkDefinition({ draft }: Pick<CreateClaim, 'draft'>): readonly Violation[] {
  const text = JSON.stringify(draft.spec.requirements)
  const found = known.get(text) ?? refusalsOf(draft)
  known.set(text, found)
  return found.map((message) => violation('definition', `claim ${draft.name}`, message))
}

function refusalsOf(draft: CreateClaim['draft']): readonly string[] {
  const manifest = claimDraftToKube(draft)
  return validate(manifest.kind, manifest.apiVersion, manifest).map(({ message }) => message)
}
