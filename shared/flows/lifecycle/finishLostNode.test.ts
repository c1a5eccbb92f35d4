import { describe, expect, it } from 'vitest'
import { NOW } from '../../../test/builders/clock.ts'
import { instance } from '../../../test/builders/instance.ts'
import { type NodeShape, node } from '../../../test/builders/node.ts'
import { settings, snapshot } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { err } from '../../base/result.ts'
import type { NodePatch } from '../../model/claimStep.ts'
import { clusterId, nodeClaimName, uid } from '../../model/ids.ts'
import { FINALIZER, LABEL } from '../../model/labels.ts'
import { Fault, problem } from '../../model/problem.ts'
import type { VolumeAttachment } from '../../model/workloads.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { attachedVolumes } from './finishLostNode.ts'
import { stepClaim } from './stepClaim.ts'

const NEVER = new AbortController().signal

/** Reports whether the node still exists after a look at its claim, which may not exist. */
async function nodeStands(shape: NodeShape, ports: (deps: ClusterDeps) => Partial<ClusterDeps> = () => ({})): Promise<boolean> {
  const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('test') })
  const { name } = world.objects.put('node', node(shape))
  const deps: ClusterDeps = { ...world.ports, settings: settings() }
  const message = {
    claim: nodeClaimName('default-aaaaa'),
    because: 'news',
    isFollowed: false,
    attempt: 0,
  } as const
  await stepClaim({ ...deps, ...ports(deps) }, message, NEVER).catch((cause: unknown) => {
    if (!(cause instanceof Fault)) throw cause
  })
  return world.objects.get('node', name) !== undefined
}

describe('a node whose claim is gone', () => {
  it('goes once its machine is gone and it is not ready', async () => {
    expect(await nodeStands({ ready: false })).toBe(false)
  })

  it('stays while it is ready, whatever Azure says of its machine', async () => {
    expect(await nodeStands({})).toBe(true)
  })

  it.each([
    ['stays when it is of neither a pool nor a class: then it is not ours', {}, true],
    ['goes when it is of a class, and of no pool', { [LABEL.nodeClass]: 'default' }, false],
  ])('%s', async (_sentence, own, stands) => {
    const { [LABEL.nodePool]: _, [LABEL.nodeClass]: __, ...labels } = node().meta.labels
    expect(await nodeStands({ ready: false, name: 'joiner-default-aaaaa', meta: { labels: { ...labels, ...own } } })).toBe(stands)
  })

  it('stays while its machine is there', async () => {
    expect(await nodeStands({ ready: false }, ({ cloud }) => ({ cloud: { ...cloud, get: async () => instance() } }))).toBe(true)
  })

  it('goes though nobody holds it', async () => {
    expect(await nodeStands({ ready: false, meta: { finalizers: [] } })).toBe(false)
  })

  it('stays while others hold it, and loses only our finalizer', async () => {
    const patches: NodePatch[] = []
    const shape = { ready: false, meta: { finalizers: ['example.com/f', FINALIZER] } }
    const stands = await nodeStands(shape, ({ api }) => ({
      api: { ...api, patchNode: (each, patch, signal) => (patches.push(patch), api.patchNode(each, patch, signal)) },
    }))
    expect([stands, patches]).toEqual([true, [{ finalizers: ['example.com/f'] }]])
  })

  it('is left to the next run when somebody else writes it meanwhile', async () => {
    let deletions = 0
    const conflict = async () => err(problem('KUBE.CONFLICT', 'no'))
    await nodeStands({ ready: false }, ({ api }) => ({ api: { ...api, patchNode: conflict, deleteNode: async () => void deletions++ } }))
    expect(deletions).toBe(0)
  })

  it.each(['getClaim', 'getNode'] as const)('stays when %s answers with what cannot be understood', async (call) => {
    const unreadable = () => Promise.reject(new Fault(call, problem('INPUT.INVALID', 'spec: not an object')))
    expect(await nodeStands({ ready: false }, ({ api }) => ({ api: { ...api, [call]: unreadable } }))).toBe(true)
  })

  it('stays when Azure does not say whether its machine is there', async () => {
    const silent = () => Promise.reject(new Fault('get', problem('AZURE.FAILED', 'no answer')))
    expect(await nodeStands({ ready: false }, ({ cloud }) => ({ cloud: { ...cloud, get: silent } }))).toBe(true)
  })
})

function attachment(name: string, id: string = name): VolumeAttachment {
  return { name, uid: uid(id), node: node().name, volumeName: `volume-of-${name}` }
}

/** The attached volumes, where the log has the attachments `known` and the API server has `live`. */
async function attached(known: readonly VolumeAttachment[], live: readonly VolumeAttachment[]) {
  const { objects, ports } = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('test') })
  for (const each of live) objects.put('volumeAttachment', each)
  const asked: string[] = []
  const api = {
    ...ports.api,
    getVolumeAttachment: (name: string, signal: AbortSignal) => (asked.push(name), ports.api.getVolumeAttachment(name, signal)),
  }
  const readClusterState = async () => ({ objects: () => snapshot({ objects: { volumeAttachment: known } }).objects })
  const found = await attachedVolumes({ api, readClusterState }, [node()], NOW, NEVER)
  return { found: found.map(({ name }) => name), asked }
}

describe('volumes of a node', () => {
  const [a, b, c] = [attachment('a'), attachment('b'), attachment('c')]

  it.each<[string, readonly VolumeAttachment[], readonly VolumeAttachment[], readonly string[], readonly string[]]>([
    ['that the log knows are waited for once one of them is seen live', [a, b, c], [a, b, c], ['a', 'b', 'c'], ['a']],
    ['that are detached by now are not, though the log has not heard of it', [a, b, c], [c], ['c'], ['a', 'b', 'c']],
    ['are all gone once none is seen live', [a, b], [], [], ['a', 'b']],
    ['are not those that were made anew under an old name', [a], [attachment('a', 'other')], [], ['a']],
    ['that the log does not know cost no call', [], [a], [], []],
  ])('%s', async (_sentence, known, live, found, asked) => {
    expect(await attached(known, live)).toEqual({ found, asked })
  })

  it('are none where nobody has a picture of the cluster', async () => {
    const { ports } = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('test') })
    expect(await attachedVolumes(ports, [node()], NOW, NEVER)).toEqual([])
  })
})
