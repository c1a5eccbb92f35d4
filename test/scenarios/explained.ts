/** The explanation of the pod `p` of a world. */

import { explainPod } from '../../shared/engine/scheduling/explain/explainPod.ts'
import type { PodExplanation } from '../../shared/engine/scheduling/explain/explanation.ts'
import { decideProvisioning } from '../../shared/engine/scheduling/planningState.ts'
import { objectKey } from '../../shared/model/ids.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { worldOf } from './givenWorld.ts'
import type { Given } from './scenario.ts'

export type Row = { readonly given: Given; readonly want: object }

export function explained({ given }: Row, name = 'p'): PodExplanation {
  const result = explainPod(worldOf(given).snapshot, objectKey('default', name))
  if (!result.ok) throw new Error(result.error.message)
  return result.value
}

/** The Events of the pod `p` of a world. */
export function messageOf(given: Given): string {
  const { actions } = decideProvisioning(worldOf(given).snapshot)
  const events = actions.flatMap((action) => (action.kind === 'publish' && action.event.subject.name === 'default/p' ? [action.event] : []))
  return events.map(({ message }) => message).join('\n')
}

/** Each such message says what to do, or that there is nothing to do. */
export const HELPS = /to do: |raise the quota in Azure/

/** Volumes, and the volume claims that pods mount. */
export const STORAGE = {
  inZone2: { volumes: { v: { needs: 'zone=z2' } }, volumeClaims: { data: { volume: 'v' } } },
  elsewhere: { volumes: { v: { needs: 'zone=z9' } }, volumeClaims: { data: { volume: 'v' } } },
  twoDisks: { classes: { fast: {} }, volumeClaims: { one: { class: 'fast' }, two: { class: 'fast' } } },
} as const
export const FULL = { room: { pods: 1 } } as const
/** A world with a pod that has these fields. */
export const over = (more: Partial<Pod>): Row['given'] => ({ pods: { p: { over: more } } })
