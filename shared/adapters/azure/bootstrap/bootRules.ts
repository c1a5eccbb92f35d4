import { ownValue } from '../../../base/values.ts'
import { cloudProblem } from '../../../model/cloud.ts'
import type { NodeClaim } from '../../../model/nodeClaim.ts'
import { type Problem, problem } from '../../../model/problem.ts'
import { driverPin, OLDEST_PINNED } from '../images/driverPins.ts'
import { kubernetesVersionOf } from '../images/imageChoice.ts'
import { driverNeed } from '../sizes/gpuSizes.ts'
import { type BootInput, installsDriver } from './bootVariables.ts'
import { bootTaints, kubeletFlags } from './kubeletFlags.ts'
import { localDnsProblem } from './localDns.ts'
import { nodeLabels } from './nodeLabels.ts'
import { isTakenPeriod } from './quotaPeriod.ts'
import { systemProblem } from './systemSettings.ts'

/** An allow list for a value. Every other value is refused, whether or not it is known to be harmful. */
type Rule = { readonly pattern: RegExp; readonly says: string; readonly field?: string }

const NAME = /^(?!.{318})([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/
const LABEL_KEY: Rule = { pattern: NAME, says: 'must be a name of at most 63 characters, after the domain and a slash where it has one' }
const LABEL_VALUE: Rule = {
  pattern: /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/,
  says: 'must be empty, or at most 63 letters, digits, hyphens, underscores and dots, the first and last a letter or digit',
}
const TAINT_EFFECT: Rule = {
  pattern: /^(NoSchedule|PreferNoSchedule|NoExecute)$/,
  says: 'must be NoSchedule, PreferNoSchedule or NoExecute',
}
const LONGEST_DOMAIN = 253

const SYSCTL = '[a-z0-9]([-_a-z0-9]*[a-z0-9])?([./][a-z0-9]([-_a-z0-9]*[a-z0-9])?)*([./]?\\*)?'
const COUNT = { pattern: /^-?\d{1,19}$/, says: 'must be a whole number' }
const YES_OR_NO = { pattern: /^(true|false)$/, says: 'must be true or false' }

/** The rules of kubelet flags that come from a NodeClass. */
const CLASS_FLAGS: { readonly [flag: string]: Rule } = {
  '--cpu-manager-policy': { pattern: /^(none|static)$/, says: 'must be none or static', field: 'spec.kubelet.cpuManagerPolicy' },
  '--cpu-cfs-quota': { ...YES_OR_NO, field: 'spec.kubelet.cpuCFSQuota' },
  '--cpu-cfs-quota-period': {
    pattern: /^(\d{1,9}(\.\d{1,9})?(ns|us|ms|s|m|h)){1,6}$/,
    says: 'must be a duration, for example 100ms',
    field: 'spec.kubelet.cpuCFSQuotaPeriod',
  },
  '--image-gc-high-threshold': { ...COUNT, field: 'spec.kubelet.imageGCHighThresholdPercent' },
  '--image-gc-low-threshold': { ...COUNT, field: 'spec.kubelet.imageGCLowThresholdPercent' },
  '--topology-manager-policy': {
    pattern: /^(restricted|best-effort|none|single-numa-node)$/,
    says: 'must be restricted, best-effort, none or single-numa-node',
    field: 'spec.kubelet.topologyManagerPolicy',
  },
  '--allowed-unsafe-sysctls': {
    pattern: new RegExp(`^(?!.{2049})(${SYSCTL}(,${SYSCTL})*)?$`),
    says: 'must be names of sysctls, for example net.core.somaxconn or net.*',
    field: 'spec.kubelet.allowedUnsafeSysctls',
  },
  '--container-log-max-size': {
    pattern: /^\d{1,19}(E|P|T|G|M|K|Ei|Pi|Ti|Gi|Mi|Ki)?$/,
    says: 'must be a size, for example 50Mi',
    field: 'spec.kubelet.containerLogMaxSize',
  },
  '--container-log-max-files': { ...COUNT, field: 'spec.kubelet.containerLogMaxFiles' },
  '--pod-max-pids': { ...COUNT, field: 'spec.kubelet.podPidsLimit' },
  '--fail-swap-on': { ...YES_OR_NO, field: 'spec.kubelet.failSwapOn' },
}

/** The rule of flags that Joiner writes itself: one word without special characters of a shell or of systemd. */
const WORD: Rule = { pattern: /^[A-Za-z0-9_./:;,=<%@+-]*$/, says: 'must be one word of letters, digits and ./:;,=<%@+_-' }

/** Variables whose values must not be in a message: a bootstrap token, and addresses that may hold a password. */
const SECRET = /^TLS_BOOTSTRAP_TOKEN$|PROXY/
const EXCEPTIONS = '[A-Za-z0-9._:/,-]*'
const PROXY: Rule = {
  pattern: /^(https?:\/\/[A-Za-z0-9.-]+(:\d{1,5})?\/?)?$/,
  says: 'must be the URL of a proxy, without user and password',
}
const VERSION = { pattern: /^\d+\.\d+\.\d+$/, says: 'must be a version like 1.34.2', field: 'status.kubernetesVersion' }
/** The rules of variables that allow more or less than `WORD`. */
const VARIABLES: { readonly [name: string]: Rule } = {
  KUBERNETES_VERSION: VERSION,
  SUBNET: { pattern: /^[A-Za-z0-9_.-]+$/, says: 'must be the name of a subnet', field: 'spec.vnetSubnetID' },
  VIRTUAL_NETWORK: { pattern: /^[A-Za-z0-9_.-]+$/, says: 'must be the name of a virtual network', field: 'spec.vnetSubnetID' },
  VIRTUAL_NETWORK_RESOURCE_GROUP: {
    pattern: /^[\p{L}\p{N}_.()-]+$/u,
    says: 'must be the name of a resource group',
    field: 'spec.vnetSubnetID',
  },
  RESOURCE_GROUP: { pattern: /^[\p{L}\p{N}_.()-]+$/u, says: 'must be the name of a resource group' },
  TLS_BOOTSTRAP_TOKEN: { pattern: /^[a-z0-9]{6}\.[a-z0-9]{16}$/, says: 'must be a bootstrap token' },
  OUTBOUND_COMMAND: { pattern: /^[A-Za-z0-9 ./:-]+$/, says: 'must be a plain command' },
  HTTP_PROXY_URLS: PROXY,
  HTTPS_PROXY_URLS: PROXY,
  NO_PROXY_URLS: { pattern: new RegExp(`^${EXCEPTIONS}$`), says: 'must be names, addresses and ranges' },
  // The scripts of the image evaluate it.
  PROXY_VARS: {
    pattern: new RegExp(`^(export (NO_PROXY|HTTPS_PROXY|http_proxy)="${EXCEPTIONS}";( |$))*$`),
    says: 'must export addresses only',
  },
  // These two are built from parts that are checked one by one.
  KUBELET_FLAGS: { pattern: /^[A-Za-z0-9 _./:;,=<%@*+-]*$/, says: 'must be flags' },
  KUBELET_NODE_LABELS: { pattern: /^[A-Za-z0-9_./,=-]*$/, says: 'must be labels' },
}

/** Why no variables can be made at all: the cloud or the driver of the image is not known, the version is none, or local DNS cannot be had. Undefined if they can be made. */
export function baseProblem({ nodeClass, candidate, config, imageId }: BootInput): Problem | undefined {
  const cloud = cloudProblem(config.location)
  if (cloud !== undefined) return problem('CLUSTER.UNSUPPORTED', `no machine is made: ${cloud}`, { object: `cluster/${config.id}` })
  const version = kubernetesVersionOf(nodeClass, config)
  if (!VERSION.pattern.test(version)) return refusal(`aksnodeclass/${nodeClass.name}`, VERSION.field, version, VERSION)
  const dns = localDnsProblem(nodeClass, config)
  if (dns !== undefined)
    return problem('NODECLASS.INVALID', `aksnodeclass/${nodeClass.name}: ${dns.path} ${dns.says}; no machine is made with it`, {
      object: `aksnodeclass/${nodeClass.name}`,
      path: dns.path,
    })
  const { size } = candidate.choice
  if (!installsDriver(nodeClass, candidate) || driverPin(driverNeed(size), imageId) !== undefined) return undefined
  const says = `has no GPU driver for ${size} that is known: images are known from ${OLDEST_PINNED} on; use a newer image, or spec.gpu.mode None`
  return refusal(`aksnodeclass/${nodeClass.name}`, 'status.images', imageId, { says })
}

/**
 * Why the machine must not be booted with these values: the first value that the shell, systemd or the kubelet could read as more than a value.
 * Undefined if all values are safe. The schemas of the CRDs do not suffice: those in the cluster may be older than this program, or not installed.
 */
export function bootProblem(input: BootInput, variables: readonly (readonly [name: string, value: string])[]): Problem | undefined {
  return (
    flagProblem(input) ??
    periodProblem(input) ??
    systemRefusal(input) ??
    taintProblem(input.claim) ??
    labelProblem(input) ??
    variableProblem(input, variables)
  )
}

function flagProblem({ claim, nodeClass, candidate, config }: BootInput): Problem | undefined {
  for (const [flag, value] of kubeletFlags(claim, nodeClass, candidate.instanceType, config)) {
    const rule = flag === '--register-with-taints' ? undefined : (ownValue(CLASS_FLAGS, flag) ?? WORD)
    if (rule && !rule.pattern.test(value))
      return refusal(`aksnodeclass/${nodeClass.name}`, rule.field ?? `kubelet flag ${flag}`, value, rule)
  }
  return undefined
}

function periodProblem({ nodeClass }: BootInput): Problem | undefined {
  const period = nodeClass.spec.kubelet.cpuCfsQuotaPeriod
  if (period === undefined || isTakenPeriod(period)) return undefined
  const says = 'must be between 1ms and 1s: no kubelet starts with another'
  return refusal(`aksnodeclass/${nodeClass.name}`, 'spec.kubelet.cpuCFSQuotaPeriod', period, { says })
}

function systemRefusal({ nodeClass }: BootInput): Problem | undefined {
  const found = systemProblem(nodeClass.spec.linuxOsConfig)
  return found === undefined ? undefined : refusal(`aksnodeclass/${nodeClass.name}`, found.path, found.value, found)
}

function taintProblem(claim: NodeClaim): Problem | undefined {
  for (const { key, value = '', effect } of bootTaints(claim)) {
    const broken = keyBreaks(key) ?? breaks(value, LABEL_VALUE) ?? breaks(effect, TAINT_EFFECT)
    if (broken) return refusal(`nodeclaim/${claim.name}`, 'spec.taints', broken.value, broken.rule)
  }
  return undefined
}

function labelProblem({ claim, nodeClass, candidate, config }: BootInput): Problem | undefined {
  for (const [key, value] of nodeLabels(claim, nodeClass, candidate, config)) {
    const broken = keyBreaks(key) ?? breaks(value, LABEL_VALUE)
    if (broken) return refusal(`nodeclaim/${claim.name}`, `label ${shown(key)}`, broken.value, broken.rule)
  }
  return undefined
}

function variableProblem({ nodeClass, config }: BootInput, variables: Parameters<typeof bootProblem>[1]): Problem | undefined {
  for (const [name, value] of variables) {
    const rule = ownValue(VARIABLES, name) ?? WORD
    if (rule.pattern.test(value)) continue
    const object = rule.field === undefined ? `cluster/${config.id}` : `aksnodeclass/${nodeClass.name}`
    return refusal(object, rule.field ?? `variable ${name}`, SECRET.test(name) ? '' : value, rule)
  }
  return undefined
}

type Broken = { readonly value: string; readonly rule: Rule }

function breaks(value: string, rule: Rule): Broken | undefined {
  return rule.pattern.test(value) ? undefined : { value, rule }
}

function keyBreaks(key: string): Broken | undefined {
  return key.indexOf('/') > LONGEST_DOMAIN ? { value: key, rule: LABEL_KEY } : breaks(key, LABEL_KEY)
}

function refusal(object: string, field: string, value: string, { says }: Pick<Rule, 'says'>): Problem {
  return problem('NODECLASS.INVALID', `${object}: ${field} ${shown(value)} ${says}; no machine is made with it`, { object, path: field })
}

const LONGEST_SHOWN = 80

function shown(value: string): string {
  return JSON.stringify(value.length > LONGEST_SHOWN ? `${value.slice(0, LONGEST_SHOWN)}...` : value)
}
