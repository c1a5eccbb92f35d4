/** Pods on a machine of a run. A pod tells what it found in its termination message, so that no right to logs is needed. */

import * as z from 'zod'
import { isObjectMissing, isSuccess } from '../../shared/kubeclient/status.ts'
import { PUBLIC_CLOUD } from '../../shared/model/cloud.ts'
import { deleteObject, refused } from '../down/kubeObjects.ts'
import { SMOKE_KEY } from './smokeCluster.ts'
import { type SmokeRun, waitFor } from './smokeRun.ts'

/** Policies for pods leave this namespace out, and one of the pods reads a file of its node. */
export const NAMESPACE = 'kube-system'
/** Has a shell, `nslookup` and `wget`, for amd64 and arm64. */
export const SHELL_IMAGE = `${PUBLIC_CLOUD.facts.imageRegistry}/azurelinux/busybox:1.36`
/** Where the boot script of the image writes. */
const BOOT_LOGS = '/var/log/azure'

/** The lines before the first name are about the server that was asked. */
const DNS_AND_BOOT_LOG = `: > "$OUT"
nslookup "$NAME" > "$ANSWER" 2>&1
if sed 1,3d "$ANSWER" | grep -q '[0-9][.:][0-9a-f]'; then echo "dns ok" >> "$OUT"; else
  { echo "dns failed"; tail -c 1000 "$ANSWER"; } >> "$OUT"; exit 3
fi
for log in cluster-provision.log cluster-provision-cse-output.log; do
  if [ -r "$LOGS/$log" ]; then { echo "$log:"; tail -c 1500 "$LOGS/$log"; } >> "$OUT"; else echo "$log: not there" >> "$OUT"; fi
done`

/** The first question of a machine may take two minutes, since it turns the service on. */
const WAIT_FOR_PREEMPT = `while :; do
  events=$(wget -q -T 150 -O - --header 'Metadata: true' "$IMDS/metadata/scheduledevents?api-version=2020-07-01") && echo asked > "$READY"
  case "$events" in *'"Preempt"'*) printf '%s' "$events" > "$OUT"; exit 0 ;; esac
  sleep 1
done`

const PROBES = { dns: DNS_AND_BOOT_LOG, notice: WAIT_FOR_PREEMPT } as const
export type ProbeName = keyof typeof PROBES
/** The machine that a pod runs on, by its claim and its node. */
export type ProbePlace = { readonly claim: { readonly name: string }; readonly node: { readonly name: string } }

/** What the program of a pod left. */
export type ProbeEnd = { readonly exitCode: number; readonly message: string }

const status = z.object({
  status: z
    .object({
      phase: z.string().optional(),
      message: z.string().optional(),
      conditions: z.array(z.object({ type: z.string(), status: z.string(), message: z.string().optional() })).optional(),
      containerStatuses: z
        .array(
          z.object({
            state: z
              .object({
                waiting: z.object({ reason: z.string().optional(), message: z.string().optional() }).optional(),
                terminated: z.object({ exitCode: z.number(), message: z.string().optional() }).optional(),
              })
              .optional(),
          }),
        )
        .optional(),
    })
    .optional(),
})
type PodStatus = NonNullable<z.output<typeof status>['status']>

export async function startProbe({ cluster, journal }: SmokeRun, made: ProbePlace, probe: ProbeName, signal: AbortSignal): Promise<void> {
  const path = `/api/v1/namespaces/${NAMESPACE}/pods`
  const answer = await cluster.call({ method: 'POST', path, body: podBody(made, probe, journal.record().run) }, signal)
  if (!isSuccess(answer) && answer.status !== 409) throw refused('create', `${path}/${nameOf(made, probe)}`, answer)
}

/** Waits until the program of the pod has ended. The text says what holds it, if it does not end in time, or that the pod is gone. */
export async function endOfProbe(
  run: SmokeRun,
  made: ProbePlace,
  probe: ProbeName,
  limitMs: number,
  signal: AbortSignal,
): Promise<ProbeEnd | string> {
  let last = 'the pod was not looked at'
  const look = async (): Promise<ProbeEnd | string | undefined> => {
    const pod = await statusOf(run, made, probe, signal)
    if (pod === undefined) return `pod ${nameOf(made, probe)} was deleted before its program ended`
    const ended = pod.containerStatuses?.[0]?.state?.terminated
    if (ended !== undefined) return { exitCode: ended.exitCode, message: ended.message ?? '' }
    last = holdOf(pod)
    return undefined
  }
  return (await waitFor(run, limitMs, look, signal)) ?? last
}

/** What a pod waits for that does not run yet. */
function holdOf({ phase = 'no phase yet', conditions = [], containerStatuses = [] }: PodStatus): string {
  const waiting = containerStatuses[0]?.state?.waiting
  const unmet = conditions.find((each) => each.status === 'False' && each.message !== undefined)
  return waiting?.message ?? waiting?.reason ?? unmet?.message ?? phase
}

/** Waits until the pod is ready. Reports whether it is. */
export async function isProbeReady(
  run: SmokeRun,
  made: ProbePlace,
  probe: ProbeName,
  limitMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const look = async (): Promise<true | undefined> => {
    const pod = await statusOf(run, made, probe, signal)
    return pod?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True') ? true : undefined
  }
  return (await waitFor(run, limitMs, look, signal)) ?? false
}

export async function removeProbe({ cluster }: SmokeRun, made: ProbePlace, probe: ProbeName, signal: AbortSignal): Promise<void> {
  await deleteObject(cluster.call, podPath(made, probe), signal)
}

async function statusOf({ cluster }: SmokeRun, made: ProbePlace, probe: ProbeName, signal: AbortSignal): Promise<PodStatus | undefined> {
  const path = podPath(made, probe)
  const answer = await cluster.call({ method: 'GET', path }, signal)
  if (isObjectMissing(answer)) return undefined
  if (!isSuccess(answer)) throw refused('get', path, answer)
  return status.safeParse(answer.json).data?.status
}

const nameOf = ({ claim }: ProbePlace, probe: ProbeName): string => `${claim.name}-${probe}`
const podPath = (made: ProbePlace, probe: ProbeName): string => `/api/v1/namespaces/${NAMESPACE}/pods/${nameOf(made, probe)}`

function podBody(made: ProbePlace, probe: ProbeName, run: string): object {
  const env = { OUT: '/dev/termination-log', NAME: 'kubernetes.default.svc.cluster.local', ANSWER: '/tmp/answer', READY: '/tmp/ready' }
  const places = { LOGS: '/logs', IMDS: 'http://169.254.169.254' }
  const readiness = probe === 'notice' ? { readinessProbe: { exec: { command: ['test', '-f', env.READY] }, periodSeconds: 2 } } : {}
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: nameOf(made, probe), namespace: NAMESPACE, labels: { [SMOKE_KEY]: run } },
    spec: {
      restartPolicy: 'Never',
      nodeSelector: { 'kubernetes.io/hostname': made.node.name },
      tolerations: [{ operator: 'Exists' }],
      terminationGracePeriodSeconds: 1,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      containers: [
        {
          name: 'smoke',
          image: SHELL_IMAGE,
          command: ['sh', '-c', PROBES[probe]],
          env: Object.entries({ ...env, ...places }).map(([name, value]) => ({ name, value })),
          resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { memory: '64Mi' } },
          volumeMounts: [{ name: 'logs', mountPath: places.LOGS, readOnly: true }],
          ...readiness,
        },
      ],
      volumes: [{ name: 'logs', hostPath: { path: BOOT_LOGS } }],
    },
  }
}
