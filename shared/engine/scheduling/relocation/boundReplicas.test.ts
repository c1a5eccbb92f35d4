import { expect, it } from 'vitest'
import { type PodShape, pod } from '../../../../test/builders/pod.ts'
import { uid } from '../../../model/ids.ts'
import { admit, type Candidate } from '../model/pods/admission.ts'
import { replicasOf } from '../model/pods/podReplicas.ts'
import { createWork } from '../model/quantities/work.ts'
import { alikePods } from './boundReplicas.ts'

const NOTHING = { alternatives: [new Map()], attached: new Map() }

/** A candidate for each shape. Each candidate is one pod, and each pod has another ReplicaSet. */
function candidates(shapes: readonly PodShape[]): readonly Candidate[] {
  const pods = shapes.map((shape, at) =>
    pod({ name: `p${at}`, owner: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `w${at}`, uid: uid(`w${at}`) }, ...shape }),
  )
  return admit(replicasOf(pods, createWork()), () => NOTHING).candidates
}

/** The place of the class of each running pod, and the number of pods in each class. */
function classed(running: readonly PodShape[], waiting: readonly PodShape[] = [], asked?: 'any' | ReadonlySet<string>) {
  const [wait, run] = [candidates(waiting), candidates(running)]
  const { alike, placeOf } = alikePods(wait, run, {
    standing: asked === undefined ? [] : [new Map([['app', asked]])],
    shared: new Set(),
    work: createWork(),
  })
  return { places: run.map(placeOf), counts: alike.map(({ count }) => count) }
}

const RED = { labels: { app: 'red' } }
const BLUE = { labels: { app: 'blue' } }

it.each<[sentence: string, running: readonly PodShape[], asked: 'any' | ReadonlySet<string> | undefined, places: readonly number[]]>([
  ['pods of two workloads that ask for the same are of one class', [RED, BLUE], undefined, [0, 0]],
  ['pods of two sizes are told apart', [{ cpus: 1 }, { cpus: 2 }, { cpus: 1 }], undefined, [0, 1, 0]],
  ['pods that some rule tells apart by a label are told apart', [RED, BLUE], new Set(['blue']), [0, 1]],
  ['pods with labels that no rule names are of one class', [RED, BLUE], new Set(['green']), [0, 0]],
  ['a pod without the label is told apart', [RED, { labels: {} }], new Set(['green']), [0, 1]],
  ['pods with a label whose value some rule takes from a pod are told apart', [RED, BLUE], 'any', [0, 1]],
  [
    'pods of two priorities are told apart, since the scheduler binds one of them first',
    [{ priority: 1 }, { priority: 2 }],
    undefined,
    [0, 1],
  ],
])('%s', (_, running, asked, places) => {
  expect(classed(running, [], asked).places).toEqual(places)
})

it('waiting pods keep their classes, before all running pods', () => {
  expect(classed([RED, BLUE], [RED, BLUE])).toEqual({ places: [2, 2], counts: [1, 1, 2] })
})
