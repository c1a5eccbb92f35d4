import * as z from 'zod'
import { member } from '../../cli/armCall.ts'
import type { ClusterAccess } from '../../cli/clusterAccess.ts'
import type { Clock } from '../../shared/ports/clock.ts'
import { HookFailure } from './hookDeps.ts'

const NAME = 'joiner-first-decision'
/** A cold start, the batch window and a decision take half a minute. Role assignments in Azure may take five minutes to spread. */
const PATIENCE_MS = 420_000
const PAUSE_MS = 2_000
const CALL_MS = 30_000
/** The reporting component of Joiner's Events. */
const COMPONENT = 'joiner'

const created = z.object({ metadata: z.object({ uid: z.string() }) })
const events = z.object({
  items: z.array(
    z.object({
      message: z.string().default(''),
      reportingComponent: z.string().optional(),
    }),
  ),
})

/**
 * Proves the whole path. Creates a pod that no machine may have. The shim sends it, the app decides, and writes an Event for the pod. This also
 * proves that the app reaches the API server and may write there. The pod never runs, no machine is bought for it, and it is deleted at the end.
 */
export async function firstDecision(
  { call }: Pick<ClusterAccess, 'call'>,
  clock: Clock,
  namespace: string,
): Promise<{ readonly message: string; readonly seconds: number }> {
  const path = `/api/v1/namespaces/${namespace}/pods`
  const remove = () => call({ method: 'DELETE', path: `${path}/${NAME}`, query: { gracePeriodSeconds: '0' } }, AbortSignal.timeout(CALL_MS))
  // A pod may be left by an earlier run that did not end.
  await remove()
  const started = clock.now()
  const made = await call({ method: 'POST', path, body: podOf(namespace) }, AbortSignal.timeout(CALL_MS))
  const read = created.safeParse(made.json)
  if (made.status !== 201 || !read.success)
    throw new HookFailure(
      `KUBE.FAILED   pod ${NAME} was not made: the API server answered ${made.status} ${String(member(made.json, 'message'))}; run: azd up`,
    )
  const query = { fieldSelector: `involvedObject.uid=${read.data.metadata.uid}` }
  try {
    for (;;) {
      const { json } = await call({ method: 'GET', path: `/api/v1/namespaces/${namespace}/events`, query }, AbortSignal.timeout(CALL_MS))
      const told = events.safeParse(json).data?.items.find(({ reportingComponent }) => reportingComponent === COMPONENT)
      if (told !== undefined) return { message: told.message, seconds: Math.round((clock.now() - started) / 1_000) }
      if (clock.now() - started >= PATIENCE_MS) break
      await clock.sleep(PAUSE_MS, AbortSignal.timeout(PATIENCE_MS))
    }
  } finally {
    await remove().catch(() => undefined)
  }
  throw new HookFailure(
    `a change in the cluster has not reached a decision after ${PATIENCE_MS / 60_000} minutes. What the shim says: kubectl --namespace ${namespace} logs deployment/joiner-shim; what the app says: the logs linked below. Then run: azd up`,
  )
}

function podOf(namespace: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: NAME, namespace, labels: { 'app.kubernetes.io/part-of': 'joiner' } },
    spec: {
      nodeSelector: { 'joiner.dev/first-decision': 'no-node-has-this' },
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 0,
      securityContext: { runAsNonRoot: true, runAsUser: 65534, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          name: 'pause',
          image: 'registry.k8s.io/pause:3.10',
          resources: { requests: { cpu: '1m', memory: '1Mi' } },
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, readOnlyRootFilesystem: true },
        },
      ],
    },
  }
}
