import { describe, expect, it } from 'vitest'
import { NOW } from '../../../test/builders/clock.ts'
import { node } from '../../../test/builders/node.ts'
import { snapshot } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { clusterId, uid } from '../../model/ids.ts'
import type { VolumeAttachment } from '../../model/workloads.ts'
import { attachedVolumes } from './finishLostNode.ts'

const NEVER = new AbortController().signal

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
