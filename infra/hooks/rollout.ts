import * as z from 'zod'
import type { ClusterAccess } from '../../cli/clusterAccess.ts'
import type { Clock } from '../../shared/ports/clock.ts'
import { HookFailure } from './hookDeps.ts'

/** Waiting time. A node may have to pull the image, and the shim has to become the leader. */
const PATIENCE_MS = 300_000
const PAUSE_MS = 2_000
const CALL_MS = 30_000

const deployment = z.object({
  metadata: z.object({ generation: z.number().default(1) }),
  spec: z.object({ replicas: z.number().default(1) }),
  status: z
    .object({ observedGeneration: z.number().default(0), updatedReplicas: z.number().default(0), availableReplicas: z.number().default(0) })
    .prefault({}),
})
const pods = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string() }),
      status: z.object({
        conditions: z.array(z.object({ type: z.string(), status: z.string(), message: z.string().optional() })).default([]),
        containerStatuses: z
          .array(
            z.object({
              state: z
                .object({ waiting: z.object({ reason: z.string().optional(), message: z.string().optional() }).optional() })
                .prefault({}),
            }),
          )
          .default([]),
      }),
    }),
  ),
})

/** Waits until every replica of the forwarder is new and ready. If the time is over, says what its pods wait for. */
export async function waitForRollout({ call }: Pick<ClusterAccess, 'call'>, clock: Clock, namespace: string): Promise<void> {
  const until = clock.now() + PATIENCE_MS
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments/joiner-shim`
  for (;;) {
    const { json } = await call({ method: 'GET', path }, AbortSignal.timeout(CALL_MS))
    const read = deployment.safeParse(json)
    if (read.success && isRolledOut(read.data)) return
    if (clock.now() >= until) break
    await clock.sleep(PAUSE_MS, AbortSignal.timeout(PATIENCE_MS))
  }
  const why = await waitingPods(call, namespace)
  throw new HookFailure(
    `KUBE.FAILED   the shim is not ready after ${PATIENCE_MS / 60_000} minutes: ${why}; run: kubectl --namespace ${namespace} describe pods --selector app.kubernetes.io/component=shim`,
  )
}

function isRolledOut({ metadata, spec, status }: z.output<typeof deployment>): boolean {
  return (
    status.observedGeneration >= metadata.generation && status.updatedReplicas >= spec.replicas && status.availableReplicas >= spec.replicas
  )
}

async function waitingPods(call: ClusterAccess['call'], namespace: string): Promise<string> {
  const query = { labelSelector: 'app.kubernetes.io/name=joiner,app.kubernetes.io/component=shim' }
  const { json } = await call({ method: 'GET', path: `/api/v1/namespaces/${namespace}/pods`, query }, AbortSignal.timeout(CALL_MS))
  const { items } = pods.safeParse(json).data ?? { items: [] }
  const reasons = items.flatMap(({ metadata, status }) => {
    const waiting = status.containerStatuses.flatMap(({ state }) => (state.waiting === undefined ? [] : [state.waiting]))
    const said = waiting.map(({ reason = 'waiting', message = '' }) => `${reason} ${message}`.trim())
    const unscheduled = status.conditions.filter(({ type, status: is }) => type === 'PodScheduled' && is === 'False')
    const all = [...said, ...unscheduled.map(({ message = 'not scheduled' }) => message)]
    return all.length === 0 ? [] : [`pod ${metadata.name}: ${all.join(', ')}`]
  })
  return reasons.length === 0 ? 'its pods say no reason' : reasons.join('; ')
}
