import { LOCAL_DNS_FIELDS, LOCAL_DNS_REQUIRED, LOCAL_DNS_ROWS } from './localDnsFields.ts'
import { anyText, bounds, type Change, casesOf, type Field, flag, type ManifestCase, oneOf, type Row } from './manifestCase.ts'
import { conditionFields, conditionRequired, conditionRows } from './sharedFields.ts'
import { SYSCTL_FIELDS, SYSCTL_ROWS } from './sysctlFields.ts'

const base = { metadata: { name: 'default' }, spec: {} }

const SUBNET = '/subscriptions/s/resourceGroups/rg/providers/Microsoft.Network/virtualNetworks/v/subnets/n'
const SIZES: Field = {
  takes: ['50Mi', '1G', '0K', '10Ti', '1E', '2Pi'],
  refuses: ['50', 'Mi', '1.5Gi', '50mi', '-1Gi', '1 Gi', '', '1B', 50],
}
const IMAGE = { id: '/images/1', requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }] }
const IMAGES: Change = { 'status.images': [IMAGE] }

const FIELDS: { readonly [path: string]: Field } = {
  spec: { takes: [{}], refuses: ['a', []] },
  status: { takes: [{}], refuses: ['a'] },
  'spec.vnetSubnetID': {
    takes: [
      SUBNET,
      SUBNET.toUpperCase(),
      SUBNET.toLowerCase(),
      SUBNET.replace('/rg/', '/a-b_c.(d)/'),
      SUBNET.replace('/rg/', `/${'r'.repeat(90)}/`),
    ],
    refuses: [
      SUBNET.replace('/rg/', '/rg./'),
      SUBNET.replace('/rg/', '//'),
      SUBNET.replace('/rg/', '/r g/'),
      SUBNET.replace('/rg/', `/${'r'.repeat(91)}/`),
      `${SUBNET}/`,
      SUBNET.slice(1),
      SUBNET.replace('/subnets/n', ''),
      SUBNET.replace('Microsoft.Network', 'MicrosoftXNetwork'),
      '',
      1,
    ],
  },
  'spec.osDiskSizeGB': bounds(30, 2048),
  'spec.osDiskType': { ...oneOf('Managed'), isStricter: true },
  'spec.imageFamily': oneOf('Ubuntu', 'Ubuntu2204', 'Ubuntu2404', 'AzureLinux'),
  'spec.fipsMode': oneOf('Disabled', 'FIPS'),
  'spec.maxPods': bounds(10, 250),
  'spec.tags': { takes: [{}, { a: 'b' }, { 'a/b': '', ä: '<>%&?\\' }], refuses: ['a=b', []] },
  'spec.tags.a': { takes: ['', 'c'.repeat(256), null], refuses: [1, true] },
  'spec.kubelet': { takes: [{}], refuses: ['static'] },
  'spec.kubelet.cpuManagerPolicy': oneOf('none', 'static'),
  'spec.kubelet.cpuCFSQuota': flag,
  'spec.kubelet.cpuCFSQuotaPeriod': anyText,
  'spec.kubelet.imageGCHighThresholdPercent': bounds(0, 100),
  'spec.kubelet.imageGCLowThresholdPercent': bounds(0, 100),
  'spec.kubelet.topologyManagerPolicy': oneOf('restricted', 'best-effort', 'none', 'single-numa-node'),
  'spec.kubelet.allowedUnsafeSysctls': { takes: [[], ['kernel.msg*', 'net.core.somaxconn', 'kernel.msg*']], refuses: ['kernel.msg*'] },
  'spec.kubelet.allowedUnsafeSysctls[0]': { takes: ['', 'a'], refuses: [1, null] },
  'spec.kubelet.containerLogMaxSize': SIZES,
  'spec.kubelet.containerLogMaxFiles': bounds(2),
  'spec.kubelet.podPidsLimit': { takes: [-1, 0, 9_007_199_254_740_991], refuses: [0.5, '1'] },
  'spec.kubelet.failSwapOn': flag,
  'spec.security': { takes: [{}, { encryptionAtHost: true }], refuses: [true] },
  'spec.security.encryptionAtHost': flag,
  'spec.security.trustedLaunch': { takes: [{}, { vtpm: true, secureBoot: false }], refuses: [true] },
  'spec.security.trustedLaunch.vtpm': flag,
  'spec.security.trustedLaunch.secureBoot': flag,
  'spec.gpu': { takes: [{}], refuses: ['None'] },
  'spec.gpu.mode': oneOf('Driver', 'None'),
  'spec.artifactStreaming': { takes: [{}], refuses: [true] },
  'spec.artifactStreaming.enabled': flag,
  'spec.linuxOSConfig': { takes: [{}], refuses: ['a'] },
  'spec.linuxOSConfig.swapFileSize': { ...SIZES, given: { 'spec.kubelet': { failSwapOn: false } } },
  'spec.linuxOSConfig.transparentHugePageDefrag': oneOf('always', 'defer', 'defer+madvise', 'madvise', 'never'),
  'spec.linuxOSConfig.transparentHugePageEnabled': {
    takes: ['always', 'madvise', 'never'],
    refuses: ['defer', 'Always', '', true],
  },
  ...SYSCTL_FIELDS,
  ...LOCAL_DNS_FIELDS,
  'status.images': { takes: [[], [IMAGE], [IMAGE, IMAGE]], refuses: [{}] },
  'status.images[0]': { takes: [IMAGE], refuses: ['a', null] },
  'status.images[0].requirements[0]': { takes: IMAGE.requirements, refuses: ['a'], given: IMAGES },
  'status.images[0].id': { ...anyText, given: IMAGES },
  'status.images[0].requirements': { takes: [[], IMAGE.requirements], refuses: ['a', {}], given: IMAGES },
  'status.images[0].requirements[0].key': { ...anyText, given: IMAGES },
  'status.images[0].requirements[0].operator': { ...anyText, given: IMAGES },
  'status.images[0].requirements[0].values': { takes: [[], ['a', 'a']], refuses: ['a'], given: IMAGES },
  'status.images[0].requirements[0].values[0]': { ...anyText, given: IMAGES },
  'status.kubernetesVersion': anyText,
  'status.localDNSState': oneOf('Enabled', 'Disabled'),
  ...conditionFields('status.conditions', { loose: false }),
}

const TRUSTED = { 'spec.security': { trustedLaunch: { secureBoot: true } } }
const fips = (imageFamily?: string, rest: Change = {}): Change => ({ 'spec.fipsMode': 'FIPS', 'spec.imageFamily': imageFamily, ...rest })
const NO_2404 = { at: 'spec', says: 'not available with imageFamily Ubuntu2404' }
const NEEDS_TRUST = { at: 'spec', says: 'needs trusted launch' }
const ONLY_UBUNTU = { at: 'spec', says: 'only available with imageFamily Ubuntu or' }
const trust = (trustedLaunch: object): Change => ({ 'spec.security': { trustedLaunch } })

const FIPS_ROWS: { readonly [name: string]: Row } = {
  'FIPS on the default image': { change: fips() },
  'FIPS on Ubuntu': { change: fips('Ubuntu') },
  'FIPS on Ubuntu with trusted launch': { change: fips('Ubuntu', TRUSTED) },
  'FIPS on Ubuntu2404': { change: fips('Ubuntu2404'), ...NO_2404 },
  'FIPS on Ubuntu2404 with trusted launch': { change: fips('Ubuntu2404', TRUSTED), ...NO_2404 },
  'FIPS on Ubuntu2204': { change: fips('Ubuntu2204'), ...NEEDS_TRUST },
  'FIPS on Ubuntu2204 with trusted launch off': { change: fips('Ubuntu2204', trust({ vtpm: false, secureBoot: false })), ...NEEDS_TRUST },
  'FIPS on Ubuntu2204 with trusted launch empty': { change: fips('Ubuntu2204', trust({})), ...NEEDS_TRUST },
  'FIPS on Ubuntu2204 with secure boot': { change: fips('Ubuntu2204', TRUSTED) },
  'FIPS on Ubuntu2204 with a vTPM': { change: fips('Ubuntu2204', trust({ vtpm: true })) },
  'FIPS on AzureLinux': { change: fips('AzureLinux') },
  'FIPS on AzureLinux with trusted launch off': { change: fips('AzureLinux', trust({ vtpm: false })) },
  'FIPS on AzureLinux with secure boot': { change: fips('AzureLinux', TRUSTED), ...ONLY_UBUNTU },
  'FIPS on AzureLinux with a vTPM': { change: fips('AzureLinux', trust({ vtpm: true })), ...ONLY_UBUNTU },
  'FIPS disabled on Ubuntu2404': { change: { 'spec.fipsMode': 'Disabled', 'spec.imageFamily': 'Ubuntu2404' } },
  'trusted launch without FIPS': { change: { 'spec.imageFamily': 'AzureLinux', ...TRUSTED } },
  'FIPS on Ubuntu2404, asked for later': { change: fips('Ubuntu2404'), from: { 'spec.imageFamily': 'Ubuntu2404' }, ...NO_2404 },
}

const KUBELET = 'spec.kubelet'
const ABOVE = { at: KUBELET, says: 'must be above' }
const SWAP = { at: 'spec', says: 'failSwapOn: false' }
const swapFile: Change = { 'spec.linuxOSConfig': { swapFileSize: '1Gi' } }
const images = (high: number, low: number): Change => ({
  [KUBELET]: { imageGCHighThresholdPercent: high, imageGCLowThresholdPercent: low },
})
const tag = (key: string, value = 'c'): Change => ({ 'spec.tags': { [key]: value } })
const FORBIDDEN = ['<', '>', '%', '&', '?']
const EMOJI = '\u{1F600}'

const ROWS: { readonly [name: string]: Row } = {
  'the least there can be': {},
  'no spec at all': { change: { spec: undefined } },
  'a member nobody knows, which is dropped': { change: { 'spec.future': { a: 1 } } },
  'another class altogether': { change: { 'spec.imageFamily': 'AzureLinux', 'spec.maxPods': 50 }, from: { 'spec.tags': { a: 'b' } } },
  ...FIPS_ROWS,
  'a swap file': { change: swapFile, ...SWAP },
  'a swap file and failSwapOn': { change: { ...swapFile, [KUBELET]: { failSwapOn: true } }, ...SWAP },
  'a swap file and another setting of the kubelet': { change: { ...swapFile, [KUBELET]: { podPidsLimit: 5 } }, ...SWAP },
  'a swap file that is allowed': { change: { ...swapFile, [KUBELET]: { failSwapOn: false } } },
  'image thresholds in order': { change: images(80, 70) },
  'image thresholds that are the same': { change: images(70, 70), ...ABOVE },
  'image thresholds the wrong way': { change: images(69, 70), ...ABOVE },
  'the low image threshold turned up': { change: images(80, 90), from: images(80, 70), ...ABOVE },
  'a tag with a key of 512 characters': { change: tag('a'.repeat(512)) },
  'a tag with a key of 513 characters': { change: tag('a'.repeat(513)), at: 'spec.tags', says: 'at most 512' },
  'a tag with a key of 512 characters of two units each': { change: tag(EMOJI.repeat(512)) },
  'a tag with a key of 513 characters of two units each': { change: tag(EMOJI.repeat(513)), at: 'spec.tags', says: 'at most 512' },
  'a tag with a value of 257 characters': { change: tag('a', 'c'.repeat(257)), at: 'spec.tags', says: 'at most 256' },
  'a tag with a value of 256 characters of two units each': { change: tag('a', EMOJI.repeat(256)) },
  ...Object.fromEntries(
    FORBIDDEN.map((character) => [`a tag with ${character}`, { change: tag(`a${character}b`), at: 'spec.tags', says: 'none of' }]),
  ),
  'a tag with a backslash': { change: tag('a\\b'), at: 'spec.tags', says: 'no backslash' },
  'one bad tag among others': { change: { 'spec.tags': { a: 'b', 'c%': 'd' } }, at: 'spec.tags', says: 'none of' },
  ...SYSCTL_ROWS,
  ...LOCAL_DNS_ROWS,
  ...conditionRows('status.conditions', { keyed: false, loose: false }),
}

/** Both versions have the same fields, so both must give the same verdicts. */
export const NODE_CLASS_CASES: readonly ManifestCase[] = ['v1beta1', 'v1alpha2'].flatMap((version) =>
  casesOf({
    kind: 'AKSNodeClass',
    apiVersion: `karpenter.azure.com/${version}`,
    base,
    fields: FIELDS,
    rows: ROWS,
    required: {
      ...LOCAL_DNS_REQUIRED,
      'status.images[0]': { takes: [IMAGE], refuses: ['a', null] },
      'status.images[0].requirements[0]': { takes: IMAGE.requirements, refuses: ['a'], given: IMAGES },
      'status.images[0].id': IMAGES,
      'status.images[0].requirements': IMAGES,
      'status.images[0].requirements[0].key': IMAGES,
      'status.images[0].requirements[0].operator': IMAGES,
      ...conditionRequired('status.conditions', { loose: false }),
    },
  }),
)
