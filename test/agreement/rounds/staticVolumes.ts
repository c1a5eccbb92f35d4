/** Adds volumes of a class without a provisioner to a random world: volumes of one node, of a zone and of no place, and waiting pods that claim them. */
import { LABEL } from '../../../shared/model/labels.ts'
import type { PodManifest } from '../../generators/randomPods.ts'
import type { RandomWorld } from '../../generators/randomSnapshot.ts'
import type { Json } from '../../generators/randomStorage.ts'
import { ZONE, ZONES } from '../../generators/words.ts'
import { createRandom, type Random } from '../random.ts'

const CLASS = 'fixed'
const SIZES = ['1Gi', '2Gi']
/** No volume has this size. */
const TOO_LARGE = '1Ti'
const MOST_CLAIMS = 2

export function withStaticVolumes(seed: number, world: RandomWorld): RandomWorld {
  const random = createRandom(seed ^ STATIC)
  const claims = Array.from({ length: random.int(MOST_CLAIMS + 1) }, (_, index) => `fixed-${index}`)
  const free = [...claims]
  const waiting = world.waiting.map((pod) => {
    const claimName = pod.metadata.namespace === 'default' && random.chance(0.5) ? free.shift() : undefined
    return claimName === undefined ? pod : withVolume(pod, claimName)
  })
  const places = [...world.snapshot.objects.node.map(({ name }) => onNode(name)), ...ZONES.map(inZone), ANYWHERE]
  const volumes = Array.from({ length: random.int(4 * MOST_CLAIMS) }, (_, index) => volumeIn(random, index, random.pick(places)))
  const { storage } = world
  return {
    ...world,
    waiting,
    storage: {
      storageClasses: [...storage.storageClasses, NO_PROVISIONER],
      persistentVolumes: [...storage.persistentVolumes, ...volumes],
      persistentVolumeClaims: [...storage.persistentVolumeClaims, ...claims.map((name) => claimOf(random, name))],
    },
  }
}

/** Begins other random numbers of the same seed. */
const STATIC = 0xf1ced

const NO_PROVISIONER: Json = {
  metadata: { name: CLASS },
  provisioner: 'kubernetes.io/no-provisioner',
  volumeBindingMode: 'WaitForFirstConsumer',
}

function withVolume({ metadata, spec, ...others }: PodManifest, claimName: string): PodManifest {
  const volumes = Array.isArray(spec['volumes']) ? spec['volumes'] : []
  return { metadata, spec: { ...spec, volumes: [...volumes, { name: CLASS, persistentVolumeClaim: { claimName } }] }, ...others }
}

function claimOf(random: Random, name: string): Json {
  const storage = random.chance(0.1) ? TOO_LARGE : random.pick(SIZES)
  const selector = random.chance(0.2) ? { selector: { matchLabels: { tier: 'fast' } } } : {}
  return {
    metadata: { name, namespace: 'default' },
    spec: { storageClassName: CLASS, accessModes: ['ReadWriteOnce'], resources: { requests: { storage } }, ...selector },
    status: { phase: 'Pending' },
  }
}

function volumeIn(random: Random, index: number, place: object): Json {
  return {
    metadata: { name: `fixed-${index}`, labels: { tier: random.pick(['fast', 'slow']) } },
    spec: {
      storageClassName: CLASS,
      capacity: { storage: random.pick(SIZES) },
      accessModes: [random.chance(0.8) ? 'ReadWriteOnce' : 'ReadOnlyMany'],
      ...(place === ANYWHERE ? { nfs: { server: '127.0.0.1', path: '/' } } : localTo(place)),
    },
  }
}

function localTo(place: object): object {
  return { local: { path: '/mnt' }, nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [place] }] } } }
}

const ANYWHERE = {}
const onNode = (name: string): object => ({ key: LABEL.hostname, operator: 'In', values: [name] })
const inZone = (zone: string): object => ({ key: ZONE, operator: 'In', values: [zone] })
