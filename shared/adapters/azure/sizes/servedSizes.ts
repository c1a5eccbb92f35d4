/** Which sizes of the region can be used with a NodeClass, and why none can. */
import { localDnsState, type NodeClass } from '../../../model/nodeClass.ts'
import { type Problem, problem } from '../../../model/problem.ts'
import type { ClusterConfig } from '../../../wire/clusterConfig.ts'
import { chooseImage, kubernetesVersionOf } from '../images/imageChoice.ts'
import { imageDefinitions, isTrustedLaunch, resolveFamily } from '../images/imageFamily.ts'
import { classProblem } from './classProblem.ts'
import { isTrue, type Size } from './size.ts'

const LOCAL_DNS_CPUS = 4
const LOCAL_DNS_MEMORY_MIB = 244

/** Why the size cannot be used with the NodeClass. Undefined if it can. */
export function sizeRefusalOf(size: Size, nodeClass: NodeClass, config: ClusterConfig): string | undefined {
  return RULES.find(([, isBroken]) => isBroken(size, nodeClass, config))?.[0]
}

type Rule = readonly [refusal: string, isBroken: (size: Size, nodeClass: NodeClass, config: ClusterConfig) => boolean]

const RULES: readonly Rule[] = [
  ['have an unknown processor', ({ arch }) => arch === undefined],
  ['have GPUs that spec.gpuMode and spec.imageFamily have no driver for', (...given) => !hasGpuSupport(...given)],
  [
    'cannot do spec.encryptionAtHost',
    ({ record }, { spec }) => spec.encryptionAtHost === true && !isTrue(record, 'EncryptionAtHostSupported'),
  ],
  [
    `have less than the ${LOCAL_DNS_CPUS} CPUs and ${LOCAL_DNS_MEMORY_MIB} MiB of spec.localDNS`,
    ({ cpus, memoryGib }, nodeClass) =>
      localDnsState(nodeClass) === 'Enabled' && (cpus < LOCAL_DNS_CPUS || memoryGib * 1024 < LOCAL_DNS_MEMORY_MIB),
  ],
  ['are arm64, which spec.artifactStreaming does not know', ({ arch }, { spec }) => spec.artifactStreaming === true && arch === 'arm64'],
  ['cannot do spec.trustedLaunch', ({ record }, { spec }) => isTrustedLaunch(spec) && isTrue(record, 'TrustedLaunchDisabled')],
  // Upstream offers such a size, and its launch fails.
  [
    'have no image of spec.imageFamily for their architecture and generation',
    ({ arch, generations }, nodeClass, config) => arch === undefined || chooseImage(nodeClass, config, { arch, generations }) === undefined,
  ],
]

/** Why no size can be used with the NodeClass. Undefined if a size can be used, or if the sizes are not known yet. */
export function sizeProblem(sizes: readonly Size[], nodeClass: NodeClass, config: ClusterConfig): Problem | undefined {
  const ofClass = classProblem(nodeClass, config)
  if (ofClass !== undefined) return ofClass
  const refusals = sizes.map((size) => sizeRefusalOf(size, nodeClass, config))
  if (sizes.length === 0 || refusals.includes(undefined)) return undefined
  const object = `aksnodeclass/${nodeClass.name}`
  const image = missingImage(nodeClass, config)
  if (image !== undefined) return problem('AZURE.IMAGE_NOT_FOUND', `aksnodeclass ${nodeClass.name}: ${image}`, { object })
  const told = [...Map.groupBy(refusals, (refusal) => refusal ?? '')]
    .sort(([, some], [, others]) => others.length - some.length)
    .map(([refusal, { length }]) => `${length} ${refusal}`)
  const message = `aksnodeclass ${nodeClass.name}: none of the ${sizes.length} sizes of the region serves it: ${told.join(', ')}; ask for less in its spec`
  return problem('NODECLASS.INVALID', message, { object })
}

/** Why no image is published for the spec. Undefined if there is an image, even if no size of the region can boot it. */
function missingImage(nodeClass: NodeClass, config: ClusterConfig): string | undefined {
  const { spec } = nodeClass
  const family = resolveFamily(spec, kubernetesVersionOf(nodeClass, config))
  const isIn = (gallery: 'community' | 'shared'): boolean => imageDefinitions(family, spec, gallery).length > 0
  if (isIn(config.images.gallery)) return undefined
  const kind = [family, ...(spec.fipsMode === 'FIPS' ? ['FIPS'] : []), ...(isTrustedLaunch(spec) ? ['trusted launch'] : [])].join(' with ')
  return isIn('shared')
    ? `images of ${kind} are in the shared galleries alone; set images.gallery of the cluster to shared, or spec.fipsMode to Disabled`
    : `there is no image of ${kind}; choose another spec.imageFamily, or change spec.fipsMode or spec.trustedLaunch`
}

function hasGpuSupport(size: Size, nodeClass: NodeClass, config: ClusterConfig): boolean {
  if (size.gpu === undefined) return true
  if (nodeClass.spec.gpuMode === 'Driver' && !size.gpu.hasDriverInstall) return false
  const family = resolveFamily(nodeClass.spec, kubernetesVersionOf(nodeClass, config))
  const systems = family.startsWith('Ubuntu') ? ['ubuntu'] : ['azurelinux', 'azurelinux3']
  return size.gpu.systems.some((system) => systems.includes(system))
}
