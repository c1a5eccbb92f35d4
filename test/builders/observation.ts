import type { ClaimAction, ClaimObservation } from '../../shared/model/claimStep.ts'
import type { Condition } from '../../shared/model/condition.ts'
import { catalog } from './catalog.ts'
import { ago, NOW, SECOND } from './clock.ts'
import { nodeClaim } from './nodeClaim.ts'
import { nodeClass } from './nodeClass.ts'
import { settings } from './snapshot.ts'

/** The observation of a claim that was made a second ago: its class, a catalog of sizes, nothing in Azure, no node. */
export function observation(overrides: Partial<ClaimObservation> = {}): ClaimObservation {
  return {
    now: NOW,
    settings: settings(),
    claim: nodeClaim({ stage: 'created', meta: { createdAt: ago(SECOND) } }),
    nodeClass: nodeClass(),
    nodes: [],
    pods: [],
    instance: undefined,
    instanceTypes: catalog(),
    unavailable: [],
    ...overrides,
  }
}

/** The kinds of the actions. A `publish` has the reason of its event. */
export function kindsOf(actions: readonly ClaimAction[]): readonly string[] {
  return actions.map((action) => (action.kind === 'publish' ? `publish ${action.event.reason}` : action.kind))
}

/** The condition that the actions write last. Undefined if they do not write the condition. */
export function writtenCondition(actions: readonly ClaimAction[], type: string): Condition | undefined {
  return actions
    .flatMap((action) => (action.kind === 'patchStatus' ? action.status.conditions : []))
    .findLast((condition) => condition.type === type)
}
