import { ownValue } from '../../shared/base/values.ts'
import { controllerOf, type Pod } from '../cluster/client/objects.ts'
import { type ProbePlan, probesOf } from './probes.ts'

/** Annotations that tell a simulated kubelet how the program of a pod behaves. Durations are such as `500ms`, `20s`, `2m`. */
const POD_ANNOTATION = {
  /** The program ends by itself after this time. */
  runFor: 'local.joiner.dev/run-for',
  exitCode: 'local.joiner.dev/exit-code',
  /** How long the program takes to stop. */
  stopAfter: 'local.joiner.dev/stop-after',
  startAfter: 'local.joiner.dev/start-after',
} as const

/** How a pod will behave, in milliseconds of simulated time. */
export type PodPlan = {
  readonly startMs: number
  readonly readyMs: number
  readonly probes: ProbePlan
  /** Undefined: the pod runs until it is stopped. */
  readonly runMs?: number
  readonly exitCode: number
  readonly stopMs: number
}

export type PodTimes = { readonly startMs: number; readonly initMs: number; readonly stopMs: number; readonly jobMs: number }

/** Reads the plan of a pod: from its annotations first, then from a `sleep N` command, then from the kind of its controller. */
export function planOf(pod: Pod, times: PodTimes): PodPlan {
  const annotations = pod.metadata.annotations ?? {}
  const initCount = (pod.spec.initContainers ?? []).filter((container) => container.restartPolicy !== 'Always').length
  const probes = probesOf(pod)
  const runMs = runTime(pod, times)
  return {
    startMs: (parseDuration(annotations[POD_ANNOTATION.startAfter]) ?? times.startMs) + initCount * times.initMs,
    readyMs: probes.readiness.delayMs,
    probes,
    exitCode: Number(annotations[POD_ANNOTATION.exitCode] ?? 0) || 0,
    stopMs: parseDuration(annotations[POD_ANNOTATION.stopAfter]) ?? Math.max(times.stopMs, ...preStops(pod)),
    ...(runMs === undefined ? {} : { runMs }),
  }
}

/** A pod whose restartPolicy is Always never ends, whatever its command is. */
function runTime(pod: Pod, times: PodTimes): number | undefined {
  if ((pod.spec.restartPolicy ?? 'Always') === 'Always') return undefined
  const said = parseDuration(pod.metadata.annotations?.[POD_ANNOTATION.runFor])
  if (said !== undefined) return said
  const sleeps = pod.spec.containers.map(({ command, args }) => sleepOf([...(command ?? []), ...(args ?? [])]))
  const known = sleeps.filter((each) => each !== undefined)
  if (known.length > 0) return known.includes('forever') ? undefined : Math.max(...known.map(Number))
  return controllerOf(pod)?.kind === 'Job' ? times.jobMs : undefined
}

function preStops(pod: Pod): readonly number[] {
  return pod.spec.containers.map(({ lifecycle }) => {
    const words = lifecycle?.preStop?.exec?.command
    const slept = words === undefined ? undefined : sleepOf(words)
    const seconds = lifecycle?.preStop?.sleep?.seconds
    return seconds !== undefined ? seconds * 1000 : slept === undefined || slept === 'forever' ? 0 : slept
  })
}

/** Returns the time of `sleep 5`, also inside `sh -c`. */
function sleepOf(words: readonly string[]): number | 'forever' | undefined {
  const match = /(?:^|[\s;&/])sleep\s+(infinity|[0-9.]+[smh]?)/.exec(words.join(' '))
  if (match === null) return undefined
  if (match[1] === 'infinity') return 'forever'
  return parseDuration(/[smh]$/.test(match[1] ?? '') ? match[1] : `${match[1]}s`)
}

const UNITS: { readonly [unit: string]: number } = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

function parseDuration(text: string | undefined): number | undefined {
  const match = /^([0-9]+(?:\.[0-9]+)?)(ms|s|m|h)$/.exec(text ?? '')
  return match === null ? undefined : Number(match[1]) * (ownValue(UNITS, match[2] ?? '') ?? 1)
}
