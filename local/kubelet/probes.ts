import { defined } from '../../shared/base/values.ts'
import type { Pod } from '../cluster/client/objects.ts'

/** Names the probes of a pod that fail, separated by commas: `readiness`, `startup`. It may be set and removed while the pod runs. */
const FAILING_PROBES = 'local.joiner.dev/failing-probes'

/** What the probes of a pod will find, in milliseconds of simulated time. */
export type ProbePlan = {
  readonly readiness: { readonly fails: boolean; readonly delayMs: number; readonly noticedMs: number }
  /** Undefined: no container has a startup probe. */
  readonly startup?: { readonly fails: boolean; readonly delayMs: number; readonly noticedMs: number }
}

type ProbeKind = 'readiness' | 'startup'
type Probe = NonNullable<Pod['spec']['containers'][number]['readinessProbe']> & { readonly image?: string }

/** The image of the containers that hold the namespaces of a pod: registry.k8s.io/pause and its copies. */
const PAUSE = /(?:^|\/)pause(?:[:@]|$)/

/**
 * Reads the probes of a pod. A probe succeeds after its delay, unless the annotation names it, its command always fails, or it calls a port of the
 * pause image, which opens none.
 */
export function probesOf(pod: Pod): ProbePlan {
  const probes = (field: 'readinessProbe' | 'startupProbe'): readonly Probe[] =>
    pod.spec.containers.flatMap(({ image, [field]: probe }) => (probe ? { ...probe, ...defined({ image }) } : []))
  const [readiness, startup] = [probes('readinessProbe'), probes('startupProbe')]
  const plan = { readiness: planOf(pod, 'readiness', readiness) }
  return startup.length === 0 ? plan : { ...plan, startup: planOf(pod, 'startup', startup) }
}

function planOf(pod: Pod, kind: ProbeKind, probes: readonly Probe[]): ProbePlan['readiness'] {
  const named = (pod.metadata.annotations?.[FAILING_PROBES] ?? '').split(',').map((name) => name.trim())
  return {
    fails: probes.length > 0 && (named.includes(kind) || probes.some(alwaysFails)),
    delayMs: Math.max(0, ...probes.map(({ initialDelaySeconds = 0 }) => initialDelaySeconds * 1_000)),
    noticedMs: Math.max(0, ...probes.map(({ periodSeconds = 10, failureThreshold = 3 }) => periodSeconds * failureThreshold * 1_000)),
  }
}

/** Reports whether the command of the probe is `false`, or `exit` with a code that is not 0, also inside `sh -c`. No other command is run. */
function alwaysFails({ exec, httpGet, tcpSocket, grpc, image = '' }: Probe): boolean {
  if (httpGet !== undefined || tcpSocket !== undefined || grpc !== undefined) return PAUSE.test(image)
  const words = exec?.command?.join(' ') ?? ''
  return /(?:^|[\s;&/])false\s*$/.test(words) || /(?:^|[\s;&])exit\s+0*[1-9][0-9]*\s*$/.test(words)
}
