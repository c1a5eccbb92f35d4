import { describe, expect, it } from 'vitest'
import { ago, SECOND } from '../../../../../test/builders/clock.ts'
import { type PodShape, pod } from '../../../../../test/builders/pod.ts'
import type { Pod } from '../../../../model/pod.ts'
import { createWork } from '../quantities/work.ts'
import { admit } from './admission.ts'
import { replicasOf } from './podReplicas.ts'
import { equivalenceClasses } from './queue.ts'

type Shapes = { readonly [name: string]: PodShape }

function podsOf(shapes: Shapes): readonly Pod[] {
  return Object.entries(shapes).map(([name, shape]) => pod({ name, ...shape }))
}

/** The queue as text: each run with its pods, taken from its group in turn. */
function queued(real: Shapes, ofBuffers: readonly Shapes[] = [], buffersBySize = false): readonly string[] {
  const work = createWork()
  const candidates = (pods: readonly Pod[]) => admit(replicasOf(pods, work), () => NOTHING).candidates
  const { alike, runs } = equivalenceClasses({
    real: candidates(podsOf(real)),
    ofBuffers: ofBuffers.flatMap((each) => candidates(podsOf(each))),
    buffersBySize,
    standing: [new Map([['app', 'any' as const]])],
    shared: new Set(),
    work,
  })
  const taken = alike.map(() => 0)
  return runs.map(({ at, count }) => {
    const from = taken[at] ?? 0
    taken[at] = from + count
    return (alike[at]?.pods() ?? [])
      .slice(from, from + count)
      .map(({ key }) => key.slice('default/'.length))
      .join(' ')
  })
}

const NOTHING = { alternatives: [new Map()], attached: new Map() }
const red = { labels: { app: 'red' } }
const blue = { labels: { app: 'blue' } }

describe('the queue', () => {
  it.each<[string, Shapes, readonly string[]]>([
    ['takes larger pods first', { small: { cpus: 1 }, large: { cpus: 2 }, wide: { cpus: 1, memoryGib: 2 } }, ['large', 'wide', 'small']],
    ['takes equal pods in one go, by uid', { b: {}, c: {}, a: {} }, ['a b c']],
    ['takes older pods first', { a: { createdAt: ago(SECOND) }, b: { createdAt: ago(2 * SECOND) } }, ['b a']],
    ['lets unequal pods of one size take turns', { a: red, b: blue, c: red, d: red }, ['a', 'b', 'c d']],
    ['does not tell labels apart that nobody asks about', { a: { labels: { tier: 'x' } }, b: { labels: { tier: 'y' } }, c: {} }, ['a b c']],
    ['tells owners apart in no way', { a: {}, b: { owner: { apiVersion: 'v1', kind: 'Job', name: 'j', uid: pod().uid } } }, ['a b']],
  ])('%s', (_, real, want) => {
    expect(queued(real)).toEqual(want)
  })

  const buffers: readonly Shapes[] = [{ z: { ...red, cpus: 2 } }, { y: { ...red, cpus: 2 }, x: { ...blue, cpus: 2 } }]
  const real: Shapes = { a: { ...red, cpus: 1 }, b: { ...red, cpus: 2 } }

  it('takes pods of buffers last, in the order of these', () => {
    expect(queued(real, buffers)).toEqual(['b', 'a', 'z y', 'x'])
  })

  it('takes pods of buffers after those of their size, as Karpenter does', () => {
    expect(queued(real, buffers, true)).toEqual(['b z y', 'x', 'a'])
  })
})
