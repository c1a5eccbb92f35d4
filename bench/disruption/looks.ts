/** Looks at a loaded cluster, as the flows call it. */
import type { LoadedCluster } from '../../shared/engine/loadedCluster.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { Decision, DisruptionCursor } from '../../shared/model/decision.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { unseenPod } from '../../test/builders/pod.ts'
import type { Figure } from '../figures.ts'
import { quantile } from '../quantiles.ts'

export const inMs = (what: string, value: number, [gate, aim]: readonly [gate: number, aim: number]): Figure => ({
  what,
  value,
  unit: 'ms',
  gate,
  aim,
})

/** Measures processor time, so that other programs of the machine do not count. */
type Timed<Answer> = {
  /** Milliseconds of processor time, of all threads. */
  readonly ms: number
  /** Milliseconds of processor time of the thread that decides: as long as the app blocks. */
  readonly blockedMs: number
  readonly answer: Answer
}

export function timed<Answer>(make: () => Answer): Timed<Answer> {
  const from = process.cpuUsage()
  const fromThread = process.threadCpuUsage()
  const answer = make()
  return {
    ms: sumOf(Object.values(process.cpuUsage(from))) / 1000,
    blockedMs: sumOf(Object.values(process.threadCpuUsage(fromThread))) / 1000,
    answer,
  }
}

export type Look = Omit<Timed<never>, 'answer'> & { readonly moves: number }

function movesOf({ actions }: Decision): number {
  return actions.filter(({ kind }) => kind === 'deleteClaim' || kind === 'startCommand').length
}

/** Decides until every machine had its turn. Before each decision, `change` changes the cluster. */
export function round(given: ClusterSnapshot, cluster: LoadedCluster, change: (look: number) => void): readonly Look[] {
  const { objects: _, ...context } = given
  const looks: Look[] = []
  for (let turn: DisruptionCursor | undefined; looks.length === 0 || turn !== undefined; ) {
    change(looks.length)
    const { answer, ...times } = timed(() => cluster.decide({ ...context, ...(turn === undefined ? {} : { disruptionCursor: turn }) }))
    looks.push({ ...times, moves: movesOf(answer) })
    turn = answer.turn
  }
  return looks
}

/** Returns a function that changes a pod in a way on which nothing depends. */
export function onePodIn({ objects }: ClusterSnapshot, cluster: LoadedCluster): (look: number) => void {
  return (look) => {
    const pod = objects.pod[(look * STRIDE) % objects.pod.length]
    if (pod !== undefined) cluster.apply({ put: { pod: [{ ...pod, annotations: { ...pod.annotations, changed: `${look}` } }] } })
  }
}

/** The changed pods are far apart, so that each look sees the change of another node. */
const STRIDE = 7919

/** Pods that arrive one after another. The first ones make what later ones find. */
const ARRIVALS = 30

/** The median times of both, in milliseconds. */
type Arrivals = { readonly arriving: number; readonly running: number }

/** One small pod after another arrives. Each gets its place, and runs there at the next look. */
export function arrivalsIn({ objects, ...context }: ClusterSnapshot, cluster: LoadedCluster): Arrivals {
  const [arriving, bound]: [number[], number[]] = [[], []]
  for (let at = 0; at < ARRIVALS; at++) {
    const arrived = unseenPod({ name: `arrived-${at}`, cpus: 0.05, memoryGib: 0.05, createdAt: context.takenAt })
    const look = (next: Pod): number =>
      timed(() => {
        cluster.apply({ put: { pod: [next] } })
        cluster.decide(context)
      }).ms
    arriving.push(look(arrived))
    const node = objects.node[(at * STRIDE) % objects.node.length]
    if (node !== undefined) bound.push(look({ ...arrived, phase: 'Running', nodeName: node.name, scheduledAt: context.takenAt }))
  }
  return { arriving: quantile(arriving, 0.5), running: quantile(bound, 0.5) }
}

export function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0)
}
