import * as z from 'zod'
import { linuxOsConfig, SIZE_TEXT } from './linuxOsConfigSchema.ts'
import { localDns } from './localDnsSchema.ts'
import { annotate, int32, int64, plainConditions, ruled, type ValidationRule } from './parts.ts'

const SUBNET_ID =
  /^\/subscriptions\/[^/]+\/resourceGroups\/[a-zA-Z0-9_\-().]{0,89}[a-zA-Z0-9_\-()]\/providers\/Microsoft\.Network\/virtualNetworks\/[^/]+\/subnets\/[^/]+$/i

const kubelet = z.looseObject({
  cpuManagerPolicy: z.enum(['none', 'static']).describe('Whether containers may get whole CPUs of their own.').default('none'),
  cpuCFSQuota: z.boolean().describe('Whether CPU limits are enforced.').default(true),
  cpuCFSQuotaPeriod: z.string().describe('Period in which CPU limits are enforced, as in 100ms.').default('100ms'),
  imageGCHighThresholdPercent: int32('Disk usage at which unused images are removed.', { min: 0, max: 100 }).optional(),
  imageGCLowThresholdPercent: int32('Disk usage down to which unused images are removed.', { min: 0, max: 100 }).optional(),
  topologyManagerPolicy: z
    .enum(['restricted', 'best-effort', 'none', 'single-numa-node'])
    .describe('How CPUs and devices of one container are kept close.')
    .default('none'),
  allowedUnsafeSysctls: z.array(z.string()).describe('Unsafe sysctls pods may set; a trailing * allows a family.').optional(),
  containerLogMaxSize: z.string().regex(SIZE_TEXT).describe('Size at which a container log is rotated, as in 50Mi.').default('50Mi'),
  containerLogMaxFiles: int32('Number of log files kept for a container.', { min: 2 }).default(5),
  podPidsLimit: int64('Most processes a pod may have.').optional(),
  failSwapOn: z.boolean().describe('Whether the kubelet refuses to start where there is swap.').optional(),
})

const IS_FIPS = "has(self.fipsMode) && self.fipsMode == 'FIPS'"
const IS_TRUSTED = [
  'has(self.security) && has(self.security.trustedLaunch)',
  '((has(self.security.trustedLaunch.vtpm) && self.security.trustedLaunch.vtpm)',
].join(' && ')
const TRUSTED_LAUNCH = `${IS_TRUSTED} || (has(self.security.trustedLaunch.secureBoot) && self.security.trustedLaunch.secureBoot))`

/** Returns "A implies B", since CEL has no operator for it. */
const implies = (premise: string, conclusion: string): string => `!(${premise}) || (${conclusion})`

const SPEC_RULES: readonly ValidationRule[] = [
  {
    rule: implies(IS_FIPS, "has(self.imageFamily) && self.imageFamily != 'Ubuntu2404'"),
    message: 'fipsMode FIPS is not available with imageFamily Ubuntu2404',
  },
  {
    rule: implies(IS_FIPS, `has(self.imageFamily) && (self.imageFamily != 'Ubuntu2204' || (${TRUSTED_LAUNCH}))`),
    message: 'fipsMode FIPS with imageFamily Ubuntu2204 needs trusted launch: set vtpm or secureBoot',
  },
  {
    rule: implies(`${IS_FIPS} && (${TRUSTED_LAUNCH})`, "!has(self.imageFamily) || self.imageFamily in ['Ubuntu', 'Ubuntu2204']"),
    message: 'fipsMode FIPS with trusted launch is only available with imageFamily Ubuntu or Ubuntu2204',
  },
  {
    rule: implies(
      'has(self.linuxOSConfig) && has(self.linuxOSConfig.swapFileSize)',
      'has(self.kubelet) && has(self.kubelet.failSwapOn) && !self.kubelet.failSwapOn',
    ),
    message: 'linuxOSConfig.swapFileSize needs kubelet.failSwapOn: false',
  },
]

const TAG_RULES: readonly ValidationRule[] = [
  { rule: '!self.exists(key, size(key) > 512)', message: 'the key of a tag has at most 512 characters' },
  { rule: "!self.exists(key, key.matches('[%&<>?]'))", message: 'the key of a tag has none of < > % & ?' },
  { rule: "!self.exists(key, key.contains('\\\\'))", message: 'the key of a tag has no backslash' },
  { rule: '!self.exists(key, size(self[key]) > 256)', message: 'the value of a tag has at most 256 characters' },
]

const spec = z.looseObject({
  vnetSubnetID: z.string().regex(SUBNET_ID).describe("Subnet of the nodes' network interfaces. Absent: the cluster's.").optional(),
  osDiskSizeGB: int32('Size of the OS disk.', { min: 30, max: 2048 }).default(128),
  osDiskType: z
    .enum(['Managed'])
    .describe('Kind of the OS disk. Managed: always a managed disk. Absent: ephemeral where the size has room for one, otherwise managed.')
    .optional(),
  imageFamily: z.enum(['Ubuntu', 'Ubuntu2204', 'Ubuntu2404', 'AzureLinux']).describe('Operating system of the nodes.').default('Ubuntu'),
  fipsMode: z.enum(['FIPS', 'Disabled']).describe('Whether nodes run FIPS-validated cryptography.').optional(),
  tags: ruled(z.record(z.string(), z.string()), 'Tags of the Azure resources, changed in place.', TAG_RULES).optional(),
  kubelet: ruled(kubelet, 'Settings of the kubelet.', [
    {
      rule: implies(
        'has(self.imageGCHighThresholdPercent) && has(self.imageGCLowThresholdPercent)',
        'self.imageGCHighThresholdPercent > self.imageGCLowThresholdPercent',
      ),
      message: 'imageGCHighThresholdPercent must be above imageGCLowThresholdPercent',
    },
  ]).optional(),
  maxPods: int32('Most pods on a node.', { min: 10, max: 250 }).optional(),
  security: z
    .looseObject({
      encryptionAtHost: z.boolean().describe('Whether the host encrypts temporary disks and caches.').optional(),
      trustedLaunch: z
        .looseObject({
          vtpm: z.boolean().describe('A virtual trusted platform module.').optional(),
          secureBoot: z.boolean().describe('Only signed boot components run.').optional(),
        })
        .describe('Protection of the boot chain.')
        .optional(),
    })
    .describe('Security of the machines.')
    .optional(),
  localDNS: localDns.optional(),
  gpu: z
    .looseObject({ mode: z.enum(['Driver', 'None']).describe('Whether GPU drivers are installed.').default('Driver') })
    .describe('GPU settings.')
    .optional(),
  artifactStreaming: z
    .looseObject({ enabled: z.boolean().describe('Whether images are streamed while containers start.').optional() })
    .describe('Streaming of container images.')
    .optional(),
  linuxOSConfig: linuxOsConfig.optional(),
})

const image = z.looseObject({
  id: z.string().describe('Resource id of the image.'),
  requirements: z
    .array(
      z.looseObject({
        key: z.string().describe('Label the requirement is about.'),
        operator: z.string().describe('How values and label compare.'),
        values: annotate(z.array(z.string()), { description: 'The values.', 'x-kubernetes-list-type': 'atomic' }).optional(),
      }),
    )
    .describe('Which machines the image is for.'),
})

export const nodeClassSchema = z
  .looseObject({
    spec: ruled(spec, 'How machines are made.', SPEC_RULES).optional(),
    status: z
      .looseObject({
        images: z.array(image).describe('Images to choose from, best first.').optional(),
        kubernetesVersion: z.string().describe('Version the nodes run.').optional(),
        localDNSState: z.enum(['Enabled', 'Disabled']).describe('What localDNS comes to.').optional(),
        conditions: plainConditions.optional(),
      })
      .describe('What is known about the class.')
      .optional(),
  })
  .describe('How machines are made in Azure: image, disk, network, kubelet.')
