import { describe, expect, it } from 'vitest'
import { NOW } from '../../../test/builders/clock.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { settings, snapshot } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { clusterId, nodeClaimName } from '../../model/ids.ts'
import { ANNOTATION, type Labels } from '../../model/labels.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { Fault, type ProblemCode, problem } from '../../model/problem.ts'
import type { CloudProvider } from '../../ports/cloudProvider.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { updateTags } from './updateTags.ts'

const NEVER = new AbortController().signal
const WANTED = '{"team":"blue"}'

/** Claims beside a class with the tag team=blue. `tell` is the cloud. */
function world(claims: readonly NodeClaim[], tell: CloudProvider['updateTags'] = () => Promise.resolve('updated'), additional?: Labels) {
  const made = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('test') })
  const { objects, ports } = made
  objects.put('nodeClass', nodeClass({ spec: { tags: { team: 'blue' } } }))
  for (const claim of claims) objects.put('nodeClaim', claim)
  const asked: Labels[] = []
  const told: string[] = []
  const cloud: CloudProvider = {
    ...ports.cloud,
    updateTags: (request, signal) => {
      told.push(request.claim.name)
      asked.push(request.before)
      return tell(request, signal)
    },
  }
  const state = { objects: () => ({ ...snapshot().objects, nodeClaim: objects.all('nodeClaim'), nodeClass: objects.all('nodeClass') }) }
  const readClusterState = () => Promise.resolve(state)
  const deps: ClusterDeps = { ...ports, cloud, settings: settings({ additionalTags: additional ?? {} }), readClusterState }
  const annotationOf = (name: string) => objects.get('nodeClaim', nodeClaimName(name))?.meta.annotations[ANNOTATION.tags]
  return { deps, told, asked, annotationOf, made }
}

const tagged = (name: string, tags?: string) =>
  nodeClaim({ name, meta: { annotations: tags === undefined ? {} : { [ANNOTATION.tags]: tags } } })

describe('the tags of machines', () => {
  it('IU-04, IU-08 follow those of the class, and the claim keeps which they are', async () => {
    const { deps, asked, annotationOf } = world([tagged('old', '{"team":"red"}'), tagged('unknown')])
    expect(await updateTags(deps, NEVER)).toEqual({ updated: 2, left: 0 })
    expect([annotationOf('old'), annotationOf('unknown')]).toEqual([WANTED, WANTED])
    expect(asked).toEqual(expect.arrayContaining([{ team: 'red' }, {}]))
  })

  it('IU-05 that are right already cost no call of Azure', async () => {
    const { deps, told } = world([tagged('right', WANTED)])
    expect(await updateTags(deps, NEVER)).toEqual({ updated: 0, left: 0 })
    expect(told).toEqual([])
  })

  it('IU-01 follow those of the settings, too', async () => {
    const { deps, annotationOf } = world([tagged('right', WANTED)], undefined, { owner: 'me' })
    expect(await updateTags(deps, NEVER)).toEqual({ updated: 1, left: 0 })
    expect(annotationOf('right')).toBe('{"owner":"me","team":"blue"}')
  })

  it.each([
    ['IU-06 has not registered', nodeClaim({ name: 'a', stage: 'launched' })],
    ['is being deleted', nodeClaim({ name: 'a', meta: { deletedAt: NOW } })],
    ['is of a class that does not exist', nodeClaim({ name: 'a', nodeClass: 'none' })],
    ['belongs to another provider', nodeClaim({ name: 'a', spec: { nodeClassRef: { group: 'g', kind: 'k', name: nodeClass().name } } })],
  ])('are left alone while the claim %s', async (_what, claim) => {
    const { deps, told } = world([claim])
    expect(await updateTags(deps, NEVER)).toEqual({ updated: 0, left: 0 })
    expect(told).toEqual([])
  })

  it('IU-07 of a machine that is gone are no failure, and are not noted', async () => {
    const { deps, annotationOf } = world([tagged('gone')], () => Promise.resolve('gone'))
    expect(await updateTags(deps, NEVER)).toEqual({ updated: 1, left: 0 })
    expect(annotationOf('gone')).toBeUndefined()
  })

  it.each<readonly [ProblemCode, readonly string[]]>([
    ['AZURE.FORBIDDEN', ['TagsNotUpdated']],
    ['AZURE.THROTTLED', []],
  ])('that Azure refuses with %s stay for the next run, and do not stop the others', async (code, events) => {
    const { deps, annotationOf, made } = world([tagged('a'), tagged('b')], async ({ claim }) => {
      if (claim.name === 'a') throw new Fault('tag', problem(code, 'not now'))
      return 'updated'
    })
    expect(await updateTags(deps, NEVER)).toEqual({ updated: 1, left: 1 })
    expect([annotationOf('a'), annotationOf('b')]).toEqual([undefined, WANTED])
    expect(made.objects.events.map(({ event }) => event.reason)).toEqual(events)
  })

  it('change for some machines in a run, and for each of them within a few runs', async () => {
    const { deps, made, told, annotationOf } = world(Array.from({ length: 100 }, (_, index) => tagged(`m${index}`)))
    const first = await updateTags(deps, NEVER)
    expect([first.updated, told.length]).toEqual([40, 40])
    for (let run = 0; run < 20; run++) {
      await made.clock.advance(60_001)
      await updateTags(deps, NEVER)
    }
    expect(Array.from({ length: 100 }, (_, index) => annotationOf(`m${index}`)).filter((each) => each !== WANTED)).toEqual([])
  })
})
