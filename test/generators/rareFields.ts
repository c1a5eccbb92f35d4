/** Fields that few workloads and volumes have. They come from random numbers of their own, so that all other objects of a seed stay as they are. */
import type { Random } from '../agreement/random.ts'
import type { PodManifest } from './randomPods.ts'
import type { Json, Storage } from './randomStorage.ts'
import { ZONE } from './words.ts'

type Fields = { readonly [field: string]: unknown }

export function withRarePodFields(random: Random, pod: PodManifest): PodManifest {
  const { metadata, spec, ...others } = pod
  if (!random.chance(0.05)) return pod
  return { metadata, spec: random.pick([withPodLevel, withSidecarPort, onHostNetwork])(random, spec), ...others }
}

/** The API server takes no pod-level request below the sum of the containers' requests. */
function withPodLevel(random: Random, spec: Fields): Fields {
  const containers = listOf(spec['containers']).slice(0, 1)
  return { ...spec, containers, initContainers: [], resources: { requests: random.pick([{ cpu: '8' }, { memory: '15Gi' }]) } }
}

function withSidecarPort(_: Random, spec: Fields): Fields {
  const ports = [{ containerPort: 9200, hostPort: 9200, protocol: 'TCP' }]
  const sidecar = { name: 'sidecar', restartPolicy: 'Always', ports, resources: { requests: { cpu: '50m', memory: '64Mi' } } }
  return { ...spec, initContainers: [...listOf(spec['initContainers']), sidecar] }
}

/** Ports of containers in the network of the host are host ports. */
function onHostNetwork(random: Random, spec: Fields): Fields {
  const [first, ...others] = listOf(spec['containers'])
  const port = random.pick([9200, 9300])
  const ports = [{ containerPort: port, hostPort: port, protocol: 'TCP' }]
  return { ...spec, hostNetwork: true, containers: [{ ...first, ports }, ...others.map((each) => ({ ...each, ports: [] }))] }
}

export function withZoneLabels(random: Random, storage: Storage): Storage {
  const labelled = ({ metadata, ...others }: Json): Json =>
    random.chance(0.1)
      ? { metadata: { ...metadata, labels: { [ZONE]: random.pick(['eastus-1', 'eastus-2', 'eastus-1__eastus-3']) } }, ...others }
      : { metadata, ...others }
  return { ...storage, persistentVolumes: storage.persistentVolumes.map(labelled) }
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value : []
}
