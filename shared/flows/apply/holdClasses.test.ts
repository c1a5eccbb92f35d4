import { describe, expect, it } from 'vitest'
import { ago, MINUTE, NOW } from '../../../test/builders/clock.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { err } from '../../base/result.ts'
import { clusterId, nodeClassName } from '../../model/ids.ts'
import type { Meta } from '../../model/labels.ts'
import { problem } from '../../model/problem.ts'
import type { ClusterApi } from '../../ports/clusterApi.ts'
import { type ClassHold, holdClasses } from './setDeletionCosts.ts'

const NEVER = new AbortController().signal
const OURS = 'karpenter.azure.com/termination'
const GOING = { deletedAt: ago(MINUTE) }

function scene(meta: Partial<Meta>) {
  const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('test') })
  world.objects.put('nodeClass', nodeClass({ meta }))
  const hold = (kind: ClassHold['kind'], api: Partial<ClusterApi> = {}): Promise<boolean> => {
    const deps = { ...world.ports, settings: settings(), api: { ...world.ports.api, ...api } }
    return holdClasses(deps, [{ kind, nodeClass: nodeClassName('default') }], NEVER)
  }
  const finalizers = () => world.objects.get('nodeClass', 'default')?.meta.finalizers
  const writes = () => world.journal.entries.filter(({ operation }) => operation === 'api.patchNodeClassFinalizers').length
  return { world, hold, finalizers, writes }
}

describe('NS-12 the finalizer of an AKSNodeClass', () => {
  it('comes beside the finalizers of others, once', async () => {
    const { hold, finalizers, writes } = scene({ finalizers: ['of/another'] })
    for (let time = 0; time < 2; time++) expect(await hold('holdNodeClass')).toBe(true)
    expect(finalizers()).toEqual(['of/another', OURS])
    expect(writes()).toBe(1)
  })

  it('goes alone, and the class goes with the last one', async () => {
    const { hold, finalizers } = scene({ ...GOING, finalizers: [OURS, 'of/another'] })
    expect(await hold('releaseNodeClass')).toBe(true)
    expect(finalizers()).toEqual(['of/another'])
    const last = scene({ ...GOING, finalizers: [OURS] })
    for (let time = 0; time < 2; time++) expect(await last.hold('releaseNodeClass')).toBe(true)
    expect(last.finalizers()).toBeUndefined()
    expect(last.writes()).toBe(1)
  })

  it('is judged by the class and the claims as they are now, not as the log has them', async () => {
    const used = scene({ ...GOING, finalizers: [OURS] })
    used.world.objects.put('nodeClaim', nodeClaim())
    expect(await used.hold('releaseNodeClass')).toBe(true)
    expect(used.finalizers()).toEqual([OURS])
    const made = scene({ finalizers: [OURS] })
    expect(await made.hold('releaseNodeClass')).toBe(true)
    expect(made.finalizers()).toEqual([OURS])
    const going = scene({ ...GOING, finalizers: ['of/another'] })
    expect(await going.hold('holdNodeClass')).toBe(true)
    expect(going.finalizers()).toEqual(['of/another'])
  })

  it('that the app may not write is told by its name, and stops nothing', async () => {
    const { world, hold } = scene({ finalizers: [] })
    const patchNodeClassFinalizers = async () => err(problem('KUBE.FORBIDDEN', 'patch aksnodeclass/default: the role has no such right'))
    expect(await hold('holdNodeClass', { patchNodeClassFinalizers })).toBe(true)
    expect(world.telemetry.lines.filter(({ level }) => level === 'warn')).toMatchObject([
      { message: 'the finalizer of aksnodeclass default was not done: patch aksnodeclass/default: the role has no such right' },
    ])
  })
})
