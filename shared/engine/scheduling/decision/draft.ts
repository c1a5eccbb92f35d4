import { ownValue, setOwnValue } from '../../../base/ownValue.ts'
import { stableNames } from '../../../base/stableHash.ts'
import type { BufferShare, CreateClaim } from '../../../model/decision.ts'
import { type NodeClaimName, nodeClaimName } from '../../../model/ids.ts'
import type { NodeClaimDraft } from '../../../model/nodeClaim.ts'
import type { PodRef } from '../../../model/podRef.ts'
import type { Problem } from '../../../model/problem.ts'
import { add, type Resources } from '../../../model/resources.ts'
import type { Shortage } from '../model/catalog/minValues.ts'
import type { Bin } from '../model/nodes/bin.ts'
import type { DecisionContext } from '../snapshot/decisionContext.ts'
import type { ClaimForm } from './claimForm.ts'
import { launchChoices } from './launchChoices.ts'

const SHORT_SUFFIX = 5
/** The most characters in the name of VM, computer and node, which is the prefix of machines and the name of the claim. */
const LONGEST_MACHINE_NAME = 63

/** A function that returns a free name for the claim of a bin. The same index gives the same name in the same decision. */
export function claimNames(
  { cluster, decision, settings }: Pick<DecisionContext, 'cluster' | 'decision' | 'settings'>,
  isTaken: (name: NodeClaimName) => boolean,
): (pool: string, index: number) => NodeClaimName {
  const longest = LONGEST_MACHINE_NAME - settings.machineNames.prefix.length
  const given = new Set<NodeClaimName>()
  const stableName = stableNames({ cluster, decision }, 'index')
  return (pool, index) => {
    for (let length = SHORT_SUFFIX; ; length++) {
      const name = nodeClaimName(`${pool.slice(0, longest - length - 1)}-${stableName(index, length)}`)
      if (given.has(name) || isTaken(name)) continue
      given.add(name)
      return name
    }
  }
}

export type DraftedClaim = { readonly action: CreateClaim } | NoClaim

/** Why a bin becomes no claim: the values that it lacks, and the rules of the NodeClaim definition that it would break. */
export type NoClaim = { readonly shortages: readonly Shortage[]; readonly broken: readonly Problem[] }

/**
 * The claim that the bin becomes. No claim under strict minValues if values lack once it names only as many instance types as a claim may. Nor if the
 * API server would refuse the claim: it would be made again and again.
 */
export function draftClaim(
  bin: Bin,
  form: ClaimForm,
  name: NodeClaimName,
  { pods, buffers }: { readonly pods: readonly PodRef[]; readonly buffers: readonly BufferShare[] },
  { settings }: Pick<DecisionContext, 'settings'>,
): DraftedClaim {
  const { shortages, broken, alternatives, labels, annotations, requirements, overhead } = form
  const [choice, nextBest] = launchChoices(name, form.best, form.second)
  if (choice === undefined || isNoClaim(form, { settings })) return { shortages, broken }
  const { pool } = bin.narrowedTemplate.template
  const { nodeClassRef, taints, startupTaints, expireAfter, terminationGracePeriod } = pool.template
  const requests = add(requestsOf(bin), overhead)
  const draft: NodeClaimDraft = {
    name,
    nodePool: pool.name,
    labels,
    annotations,
    spec: {
      nodeClassRef,
      requirements,
      requests,
      taints,
      startupTaints,
      expireAfter,
      ...(terminationGracePeriod === undefined ? NOTHING : { terminationGracePeriod }),
    },
  }
  const more = nextBest === undefined ? NOTHING : { nextBest }
  const kept = buffers.length === 0 ? NOTHING : { buffers }
  return { action: { kind: 'createClaim', draft, pods, ...kept, choice, ...more, alternatives } }
}

/** Reports whether the form can become no claim. What Azure sells does not matter. */
export function isNoClaim({ shortages, broken }: NoClaim, { settings }: Pick<DecisionContext, 'settings'>): boolean {
  return broken.length > 0 || (settings.minValuesPolicy === 'Strict' && shortages.length > 0)
}

const NOTHING = {}

/** The requests of all pods of the bin. */
function requestsOf({ contents }: Bin): Resources {
  const total: { [name: string]: number } = {}
  for (const { podClass, count } of contents) {
    for (const name in podClass.requests)
      setOwnValue(total, name, (ownValue(total, name) ?? 0) + (ownValue(podClass.requests, name) ?? 0) * count)
  }
  return total
}
