import { describe, expect, it } from 'vitest'
import { memoryBlobs, SIGNAL } from '../../../../test/azure/harness.ts'
import { HOUR, MINUTE } from '../../../../test/builders/clock.ts'
import { nodeClass } from '../../../../test/builders/nodeClass.ts'
import type { NodeClass } from '../../../model/nodeClass.ts'
import { type EpochMs, epochMs } from '../../../model/units.ts'
import { parseClusterConfig } from '../../../wire/clusterConfig.ts'
import type { ArmClients } from '../clients.ts'
import { createImageVersions } from './imageVersions.ts'
import { nodeVersionsOf } from './nodeVersionsOf.ts'

const LATEST = '/CommunityGalleries/AKSUbuntu/images/2204gen2containerd/versions/latest'
const at = (version: string): string => LATEST.replace('latest', version)
const [OLD, NEW] = ['202510.27.0', '202511.03.0'] as const

/** A gallery of one image, and processes that share a storage. */
function setUp() {
  let now = epochMs(1_800_000_000_000)
  const gallery = { versions: [OLD as string], error: undefined as Error | undefined, asked: 0 }
  async function* list() {
    gallery.asked++
    if (gallery.error !== undefined) throw gallery.error
    for (const name of gallery.versions) yield { name }
  }
  const clients = { compute: async () => ({ communityGalleryImageVersions: { list } }) } as unknown as ArmClients
  const clock = { now: (): EpochMs => now }
  const blobs = memoryBlobs()
  const start = () => createImageVersions({ clients, location: 'eastus', clock, stored: { blobs, path: 'images' } })
  return { gallery, start, pass: (ms: number) => void (now = epochMs(now + ms)) }
}

describe('the newest version of an image', () => {
  it('is asked for once for all processes, and an id with a version is left as it is', async () => {
    const { gallery, start } = setUp()
    expect(await start().pin(LATEST, SIGNAL)).toBe(at(OLD))
    expect(await start().pin(LATEST, SIGNAL)).toBe(at(OLD))
    expect(await start().current(LATEST, SIGNAL)).toBe(at(OLD))
    expect(await start().current(at('1.2.3'), SIGNAL)).toBe(at('1.2.3'))
    expect(gallery.asked).toBe(1)
  })

  it('is never one in a process and another in a second process, whenever each of them looks', async () => {
    const { gallery, start, pass } = setUp()
    const [first, second] = [start(), start()]
    const seen: (readonly [unknown, unknown])[] = []
    for (let minute = 0; minute < 14 * 60; minute += 7) {
      // A process that sweeps, one that only decides, and one that starts anew. A new image comes after an hour.
      if (minute >= 60) gallery.versions = [OLD, NEW]
      if (minute % 70 === 0) await first.refresh(SIGNAL)
      const found = new Set([
        await first.current(LATEST, SIGNAL),
        await second.current(LATEST, SIGNAL),
        await start().current(LATEST, SIGNAL),
      ])
      found.delete('unknown')
      seen.push([found.size <= 1, [...found][0]])
      pass(7 * MINUTE)
    }
    expect(seen.map(([areSame]) => areSame)).not.toContain(false)
    const told = seen.flatMap(([, id]) => (id === undefined ? [] : [id]))
    expect([told[0], told.at(-1), told.indexOf(at(NEW)) > 0, told.lastIndexOf(at(OLD)) < told.indexOf(at(NEW))]).toEqual([
      at(OLD),
      at(NEW),
      true,
      true,
    ])
  })

  it('is not known from the end of an answer until the next, and no decision asks', async () => {
    const { gallery, start, pass } = setUp()
    const images = start()
    await images.current(LATEST, SIGNAL)
    pass(6 * HOUR)
    expect(await images.current(LATEST, SIGNAL)).toBe('unknown')
    expect(gallery.asked).toBe(1)
    await images.refresh(SIGNAL)
    expect([await images.current(LATEST, SIGNAL), gallery.asked]).toEqual([at(OLD), 2])
  })

  it('stays what it was where Azure does not answer, and is not asked for at each look', async () => {
    const { gallery, start, pass } = setUp()
    const images = start()
    gallery.error = Object.assign(new Error('down'), { statusCode: 503 })
    await expect(images.current(LATEST, SIGNAL)).rejects.toThrow('down')
    expect([await images.current(LATEST, SIGNAL), gallery.asked]).toEqual(['unknown', 1])
    await expect(images.pin(LATEST, SIGNAL)).rejects.toThrow('down')
    pass(MINUTE)
    gallery.error = undefined
    expect(await images.current(LATEST, SIGNAL)).toBe(at(OLD))
    pass(6 * HOUR)
    gallery.error = Object.assign(new Error('down'), { statusCode: 503 })
    await expect(images.refresh(SIGNAL)).rejects.toThrow('down')
    expect(await images.current(LATEST, SIGNAL)).toBe('unknown')
  })

  it('is none where Azure does not know the image, and a launch asks again', async () => {
    const { gallery, start } = setUp()
    const images = start()
    gallery.error = Object.assign(new Error('no image'), { statusCode: 404 })
    expect(await images.current(LATEST, SIGNAL)).toBeUndefined()
    await expect(images.pin(LATEST, SIGNAL)).rejects.toThrow('no image')
    gallery.error = undefined
    expect(await images.pin(LATEST, SIGNAL)).toBe(at(OLD))
  })
})

describe('what new nodes of an AKSNodeClass should have', () => {
  const config = (over: object = {}) => {
    const parsed = parseClusterConfig({
      id: 'test',
      subscriptionId: '00000000-0000-0000-0000-000000000001',
      location: 'eastus',
      nodeResourceGroup: 'mc',
      clusterName: 'test',
      vnetSubnetId: '/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v/subnets/n',
      vnetGuid: '00000000-0000-4000-8000-00000000a00c',
      apiServer: 'https://127.0.0.1',
      caBundle: 'Y2E=',
      kubernetesVersion: '1.34.2',
      sshPublicKey: 'ssh-ed25519 AAAA',
      networkDataplane: 'azure',
      ...over,
    })
    return parsed.ok ? parsed.value : expect.fail(JSON.stringify(parsed.error))
  }
  const withStatus = (status: Partial<NodeClass['status']>): NodeClass => {
    const of = nodeClass()
    return { ...of, status: { ...of.status, ...status } }
  }
  const look = async (
    given: NodeClass,
    over: object = {},
    answer: (id: string) => string | undefined = (id) => id.replace('latest', NEW),
  ) => {
    const images = { current: async (id: string) => answer(id) }
    const found = await nodeVersionsOf(given, { config: config(over), images, isVersionSet: false }, SIGNAL)
    return [found.kubernetesVersion, found.images?.map(({ id }) => id.split('/').slice(-3).join(' '))]
  }

  it('is the version of the cluster and the images of its family, each with the machines that it is for', async () => {
    expect(await look(withStatus({ kubernetesVersion: '1.34.2' }))).toEqual([
      '1.34.2',
      [`2404gen2containerd versions ${NEW}`, `2404containerd versions ${NEW}`, `2404gen2arm64containerd versions ${NEW}`],
    ])
  })

  it('is another family of images together with the version that brings it', async () => {
    expect((await look(withStatus({ kubernetesVersion: '1.33.1' })))[1]).toContain(`2404gen2containerd versions ${NEW}`)
    // An old answer about the cluster does not bring the old family back.
    expect((await look(withStatus({ kubernetesVersion: '1.34.2' }), { kubernetesVersion: '1.33.1' }))[1]).toContain(
      `2404gen2containerd versions ${NEW}`,
    )
  })

  it('is the version that an operator pinned, and the images that the settings name', async () => {
    const byDefinition = { '2404containerd': '/own/image' }
    expect(await look(withStatus({}), { images: { version: OLD, byDefinition } }, (id) => id)).toEqual([
      '1.34.2',
      [`2404gen2containerd versions ${OLD}`, ' own image', `2404gen2arm64containerd versions ${OLD}`],
    ])
  })

  it('is what the status names where the version of an image is not known, and nothing where the status names none', async () => {
    const unknownArm = (id: string) => (id.includes('arm64') ? 'unknown' : id.replace('latest', NEW))
    expect((await look(withStatus({}), {}, unknownArm))[1]).toBeUndefined()
    const images = [{ id: '/CommunityGalleries/g/images/2404gen2arm64containerd/versions/1', requirements: [] }]
    expect((await look(withStatus({ images }), {}, unknownArm))[1]).toContain('2404gen2arm64containerd versions 1')
  })

  it('leaves out an image that does not exist', async () => {
    expect((await look(withStatus({}), {}, (id) => (id.includes('arm64') ? undefined : id)))[1]).toHaveLength(2)
  })
})
