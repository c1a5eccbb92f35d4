import { LABEL } from '../../../shared/model/labels.ts'
import type { Pod } from '../../../shared/model/pod.ts'
import { type PodShape, pod } from '../../../test/builders/pod.ts'
import { createRandom, type Random } from '../random.ts'
import { apart, selecting, spreadOver, termOn } from './shapes.ts'

/** Request distributions of Karpenter's scheduling benchmark: independent and uniform. */
const CPUS = [0.1, 0.25, 0.5, 1, 1.5]
const MEBIBYTES = [100, 256, 512, 1024, 2048, 4096]
const LABELS = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
const SEED = 42
const APP = { app: 'nginx' }

type Kind = (random: Random) => PodShape

/** Returns pods in five equal parts, each with its own kind of constraint. The rest of the count is plain. */
export function diversePods(count: number, seed = SEED): readonly Pod[] {
  const part = Math.floor(count / 5)
  const kinds: readonly Kind[] = [generic, zonalSpread, hostnameSpread, zonalAffinity, hostnameAntiAffinity]
  const plan = [
    ...kinds.flatMap((kind) => Array.from({ length: part }, () => kind)),
    ...Array.from({ length: count - 5 * part }, () => generic),
  ]
  return podsOf(plan, seed)
}

export function genericPods(count: number, seed = SEED): readonly Pod[] {
  return podsOf(
    Array.from({ length: count }, () => generic),
    seed,
  )
}

/** Returns pods of one shape with three preferences. The second, one zone each, cannot be met for all. */
export function wishfulPods(count: number, zone: string, seed = SEED): readonly Pod[] {
  const random = createRandom(seed)
  const wishes: PodShape = {
    ...requests(random),
    labels: APP,
    preferredNodeTerms: [{ weight: 1, term: { matchExpressions: [{ key: LABEL.zone, operator: 'In', values: [zone] }], matchFields: [] } }],
    podAntiAffinity: {
      required: [],
      preferred: [
        { weight: 10, term: termOn(LABEL.zone, selecting(APP)) },
        { weight: 1, term: termOn(LABEL.hostname, selecting(APP)) },
      ],
    },
  }
  return Array.from({ length: count }, (_, index) => pod({ ...wishes, name: `wishful-${index}` }))
}

function podsOf(kinds: readonly Kind[], seed: number): readonly Pod[] {
  const random = createRandom(seed)
  return kinds.map((kind, index) => pod({ ...kind(random), ...requests(random), name: `pod-${index}` }))
}

function requests(random: Random): PodShape {
  return { cpus: random.pick(CPUS), memoryGib: random.pick(MEBIBYTES) / 1024 }
}

function generic(random: Random): PodShape {
  return { labels: { 'my-label': random.pick(LABELS) } }
}

/** Draws the selector independently of the pod's label, so a pod selects itself one time in seven. */
function zonalSpread(random: Random): PodShape {
  return { ...generic(random), topologySpread: [spreadOver(LABEL.zone, selecting({ 'my-label': random.pick(LABELS) }))] }
}

function hostnameSpread(random: Random): PodShape {
  return { ...generic(random), topologySpread: [spreadOver(LABEL.hostname, selecting({ 'my-label': random.pick(LABELS) }))] }
}

function zonalAffinity(random: Random): PodShape {
  const labels = { 'my-affininity': random.pick(LABELS) }
  return { labels, podAffinity: { required: [termOn(LABEL.zone, selecting(labels))], preferred: [] } }
}

function hostnameAntiAffinity(): PodShape {
  return { labels: APP, podAntiAffinity: apart(selecting(APP)) }
}
