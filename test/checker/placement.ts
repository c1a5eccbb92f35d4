/** A placement of pods, in one form for the engine and the oracle. */
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { CreateClaim, Decision } from '../../shared/model/decision.ts'
import type { NodePoolName, ObjectKey } from '../../shared/model/ids.ts'
import type { Labels } from '../../shared/model/labels.ts'
import type { NodeClaimSpec } from '../../shared/model/nodeClaim.ts'
import type { NodePool } from '../../shared/model/nodePool.ts'
import { toSpecs } from '../../shared/model/requirementSpecs.ts'
import { anyValue } from '../../shared/model/requirements.ts'
import type { OracleAnswer, OracleClaim } from '../oracle/oracleAnswer.ts'

export type Placement = {
  /** Maps the name of a node, claim or draft to its pods. A launched claim may have the name of its claim or of its node. */
  readonly targets: ReadonlyMap<string, readonly ObjectKey[]>
  readonly claims: readonly PlacedClaim[]
  /** The keys of the pods that the plan refuses. */
  readonly refused: ReadonlySet<string>
}

export type PlacedClaim = {
  readonly name: string
  readonly pool: NodePoolName
  readonly pods: readonly ObjectKey[]
  /** The labels of the node, apart from the labels that the machine decides. */
  readonly labels: Labels
  readonly spec: NodeClaimSpec
}

export function placementOfDecision({ actions, reasons }: Decision): Placement {
  const creates = actions.filter((action): action is CreateClaim => action.kind === 'createClaim')
  const targets = new Map<string, ObjectKey[]>()
  for (const action of actions) {
    if (action.kind === 'nominate') targets.set(action.claim, [...(targets.get(action.claim) ?? []), ...action.pods.map(({ key }) => key)])
  }
  return {
    targets,
    claims: creates.map(({ draft, pods }) => ({
      name: draft.name,
      pool: draft.nodePool,
      pods: pods.map(({ key }) => key),
      labels: draft.labels,
      spec: draft.spec,
    })),
    refused: new Set(reasons.filter(({ subject }) => subject.kind === 'pod').map(({ subject }) => subject.name)),
  }
}

export function placementOfOracle({ objects }: ClusterSnapshot, answer: OracleAnswer): Placement {
  return {
    targets: answer.targets,
    claims: answer.claims.map((claim, index) => {
      const pool = objects.nodePool.find((each) => each.name === claim.pool)
      if (pool === undefined) throw new Error(`the oracle made a claim of pool ${claim.pool}, which does not exist`)
      return placedClaim(`${claim.pool}-new-${index}`, claim, pool)
    }),
    refused: new Set(answer.unplaced.keys()),
  }
}

/** Makes the claim of the oracle. A user's label with several possible values gets one of them, always the same. */
function placedClaim(
  name: string,
  { pods, requirements, instanceTypes, requests }: OracleClaim,
  { name: pool, template }: NodePool,
): PlacedClaim {
  const own = [...requirements.values()].filter(
    ({ key }) => !/(^|\.)(karpenter\.sh|kubernetes\.io|karpenter\.azure\.com|kubernetes\.azure\.com)\//.test(key),
  )
  const chosen = own.flatMap((each) => {
    const value = anyValue(each)
    return value === undefined ? [] : [[each.key, value] as const]
  })
  const key = 'node.kubernetes.io/instance-type'
  const minValues = requirements.get(key)?.minValues
  const sizes = { key, operator: 'In' as const, values: instanceTypes, ...(minValues === undefined ? {} : { minValues }) }
  const { nodeClassRef, taints, startupTaints, expireAfter } = template
  return {
    name,
    pool,
    pods,
    labels: {
      ...template.labels,
      'karpenter.sh/nodepool': pool,
      'karpenter.azure.com/aksnodeclass': nodeClassRef.name,
      ...Object.fromEntries(chosen),
    },
    spec: {
      nodeClassRef,
      requirements: [...toSpecs(requirements).filter(({ key }) => key !== sizes.key), sizes],
      requests,
      taints,
      startupTaints,
      expireAfter,
    },
  }
}
