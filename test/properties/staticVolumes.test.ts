import { describe, expect, it } from 'vitest'
import { decideProvisioning } from '../../shared/engine/scheduling/planningState.ts'
import { nodeName, objectKey, uid } from '../../shared/model/ids.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { PersistentVolume, PersistentVolumeClaim, StorageClass, VolumeAsk } from '../../shared/model/workloads.ts'
import { createRandom, type Random } from '../agreement/random.ts'
import { NOW } from '../builders/clock.ts'
import { node } from '../builders/node.ts'
import { nodeClaim } from '../builders/nodeClaim.ts'
import { pod } from '../builders/pod.ts'
import { snapshot } from '../builders/snapshot.ts'

const SEEDS = Array.from({ length: 150 }, (_, index) => index + 1)
const MODES = ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany']
const TIERS = ['fast', 'slow']

const LOCAL: StorageClass = {
  name: 'local',
  uid: uid('local'),
  provisioner: 'kubernetes.io/no-provisioner',
  bindingMode: 'WaitForFirstConsumer',
  isDefault: false,
  createdAt: 0,
  allowedTopologies: [],
}

function askOf(random: Random): VolumeAsk {
  const tier = random.pick(TIERS)
  return {
    storage: random.int(3),
    accessModes: random.some(MODES, 0.3),
    ...(random.chance(0.2) ? { isBlock: true } : {}),
    ...(random.chance(0.3) ? { selector: { matchLabels: { tier }, matchExpressions: [] } } : {}),
  }
}

function volumeOf(random: Random, index: number, hosts: readonly string[], claims: readonly string[]): PersistentVolume {
  const host = { key: LABEL.hostname, operator: 'In', values: [random.pick(hosts)] } as const
  const reserved = random.chance(0.2) ? { claim: objectKey('default', random.pick(claims)) } : {}
  const offers = {
    storageClass: random.chance(0.85) ? 'local' : 'other',
    storage: random.int(4),
    accessModes: random.some(MODES, 0.7),
    ...(random.chance(0.2) ? { isBlock: true as const } : {}),
    labels: { tier: random.pick(TIERS) },
    ...reserved,
  }
  return {
    name: `v${index}`,
    uid: uid(`v${index}`),
    nodeTerms: [{ matchExpressions: [host], matchFields: [] }],
    ...(random.chance(0.85) ? { offers } : {}),
    ...(random.chance(0.1) ? { deleted: true } : {}),
  }
}

/** Nodes with room, volumes on them, and pods with a claim each. Half of the pods could also have a new machine, if their claims allowed it. */
function worldOf(seed: number) {
  const random = createRandom(seed)
  const names = Array.from({ length: 1 + random.int(4) }, (_, index) => `default-${'abcde'[index]?.repeat(5)}`)
  const nodes = names.map((claim) => node({ claim }))
  const claims = Array.from({ length: 1 + random.int(4) }, (_, index) => `data-${index}`)
  const persistentVolumeClaim = claims.map(
    (name): PersistentVolumeClaim => ({
      key: objectKey('default', name),
      uid: uid(name),
      storageClassName: 'local',
      deleted: false,
      asks: askOf(random),
    }),
  )
  const hosts = nodes.map(({ name }) => name)
  const persistentVolume = Array.from({ length: random.int(7) }, (_, index) => volumeOf(random, index, hosts, claims))
  const waiting = claims.map((claimName, index) =>
    pod({ name: `p-${index}`, cpus: 0.2, volumes: [{ kind: 'claim', claimName }], unschedulableSince: NOW }),
  )
  const nodeClaims = names.map((name) => nodeClaim({ name }))
  return snapshot({
    objects: { node: nodes, nodeClaim: nodeClaims, pod: waiting, persistentVolumeClaim, persistentVolume, storageClass: [LOCAL] },
  })
}

/** The nodes where kube-scheduler would find a volume for the claim, by its rules one after another. */
function nodesWithVolume(claim: PersistentVolumeClaim, volumes: readonly PersistentVolume[]): ReadonlySet<string> {
  const hosts = (volume: PersistentVolume): readonly string[] =>
    (volume.nodeTerms ?? []).flatMap(({ matchExpressions }) => matchExpressions.flatMap(({ values }) => values))
  const free = volumes.filter(({ offers, deleted }) => offers?.storageClass === 'local' && deleted !== true)
  const own = free.filter(({ offers }) => offers?.claim === claim.key)
  if (own.length > 0) return new Set(own.flatMap(hosts))
  const { storage = 0, accessModes = [], isBlock = false, selector } = claim.asks ?? {}
  const fitting = free.filter(({ offers }) => {
    if (offers === undefined || offers.claim !== undefined || offers.storage < storage || (offers.isBlock ?? false) !== isBlock)
      return false
    if (accessModes.some((mode) => !offers.accessModes.includes(mode))) return false
    return selector === undefined || selector.matchLabels['tier'] === offers.labels['tier']
  })
  return new Set(fitting.flatMap(hosts))
}

describe('claims of a class without a provisioner', () => {
  const seen = { placed: 0, refused: 0 }

  it.each(SEEDS)('go where a volume is, and get no machine: seed %i', (seed) => {
    const world = worldOf(seed)
    const { actions, reasons } = decideProvisioning(world)
    expect(actions.filter(({ kind }) => kind === 'createClaim')).toEqual([])
    const nodeOf = new Map(
      actions.flatMap((action) =>
        action.kind === 'nominate' ? action.pods.map(({ key }) => [key, nodeName(`joiner-${action.claim}`)] as const) : [],
      ),
    )
    for (const { key, volumes } of world.objects.pod) {
      const claim = world.objects.persistentVolumeClaim.find((each) =>
        volumes.some((volume) => 'claimName' in volume && each.key === objectKey('default', volume.claimName)),
      )
      const nodes = nodesWithVolume(claim ?? expect.fail('no claim'), world.objects.persistentVolume)
      const chosen = nodeOf.get(key)
      if (chosen === undefined) {
        expect(nodes.size, `${key} has a volume somewhere`).toBe(0)
        expect(reasons.find(({ subject }) => subject.name === key)?.code).toBe('POD.VOLUME')
        seen.refused++
      } else {
        expect([...nodes]).toContain(chosen)
        seen.placed++
      }
    }
  })

  it('are placed in some worlds, and refused in others', () => {
    expect(seen.placed).toBeGreaterThan(50)
    expect(seen.refused).toBeGreaterThan(50)
  })
})
