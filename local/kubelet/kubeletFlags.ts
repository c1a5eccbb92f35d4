import { err, ok, type Result } from '../../shared/base/result.ts'
import { ownValue } from '../../shared/base/values.ts'
import type { Taint } from '../cluster/client/objects.ts'
import { type Amounts, add, parseAmounts, parseQuantity } from '../cluster/quantity.ts'
import { readFeatureGates } from './featureGates.ts'
import { type Flag, KUBELET_FLAGS } from './flagTable.ts'

/** The part of a kubelet's command line that shows on its node. */
export type KubeletSettings = {
  readonly hostname: string | undefined
  readonly maxPods: number
  readonly reserved: Amounts
  /** Memory that stays free, in bytes and as a part (0 to 1) of the whole, and the part (0 to 1) of the disk that stays free. */
  readonly eviction: { readonly memoryBytes: number; readonly memoryPart: number; readonly diskPart: number }
  readonly taints: readonly Taint[]
  readonly labels: readonly (readonly [string, string])[]
}

/** The message that the kubelet prints before it exits. */
type Complaint = string
type Values = ReadonlyMap<string, string>

/** Parses a kubelet's command line as the kubelet of that minor version does. Returns the error with which that kubelet would exit. */
export function parseKubeletFlags(commandLine: string, minor: number): Result<KubeletSettings, Complaint> {
  const values = readFlags(commandLine, minor)
  if (!values.ok) return values
  const gates = readFeatureGates(pairs(values.value.get('feature-gates')), minor)
  if (!gates.ok) return err(`failed to set feature gates from initial flags-based config: ${gates.error}`)
  const contradiction = contradictionOf(values.value, gates.value)
  if (contradiction !== undefined) return err(contradiction)
  return ok(settingsOf(values.value))
}

const NOT_PARSED = 'failed to parse kubelet flag'

function readFlags(commandLine: string, minor: number): Result<Values, Complaint> {
  const values = new Map<string, string>()
  const words = commandLine.split(/\s+/).filter((word) => word !== '')
  for (let index = 0; index < words.length; index++) {
    const match = /^--([a-z][a-z0-9-]*)(?:=(.*))?$/s.exec(words[index] ?? '')
    if (match === null) return err(`unknown command ${words[index]}`)
    const [, name = '', inline] = match
    const flag = flagOf(name, minor)
    if (flag === undefined) return err(`${NOT_PARSED}: unknown flag: --${name}`)
    const value = inline ?? (flag.kind === 'bool' ? 'true' : words[++index])
    if (value === undefined) return err(`${NOT_PARSED}: flag needs an argument: --${name}`)
    const rule = brokenRule(flag, value)
    if (rule !== undefined) return err(`${NOT_PARSED}: invalid argument "${value}" for "--${name}" flag: ${rule}`)
    values.set(name, value)
  }
  return ok(values)
}

function flagOf(name: string, minor: number): Flag | undefined {
  const flag = ownValue(KUBELET_FLAGS, name)
  return flag === undefined || minor >= (flag.until ?? Number.POSITIVE_INFINITY) ? undefined : flag
}

/** Returns the rule that the value breaks. Undefined if the value is valid. */
function brokenRule(flag: Flag, value: string): string | undefined {
  switch (flag.kind) {
    case 'text':
    case 'list':
      return undefined
    case 'bool':
      return /^(true|false|1|0|t|f|TRUE|FALSE|True|False)$/.test(value) ? undefined : 'must be true or false'
    case 'integer':
      return isInteger(flag, value) ? undefined : `must be an integer of at least ${flag.least}`
    case 'choice':
      return flag.values.includes(value) ? undefined : `must be one of ${flag.values.map((each) => `"${each}"`).join(', ')}`
    case 'duration':
      return /^(([0-9]*\.)?[0-9]+(ns|us|ms|s|m|h))+$/.test(value) ? undefined : 'must be a duration such as 4h'
    case 'pairs':
    case 'amounts':
    case 'thresholds':
    case 'taints':
      return items(value).every(LISTS[flag.kind].isItem) ? undefined : `must be ${LISTS[flag.kind].what}`
  }
}

function isInteger({ least, most }: { readonly least: number; readonly most?: number }, value: string): boolean {
  return /^-?[0-9]+$/.test(value) && Number(value) >= least && Number(value) <= (most ?? Number.POSITIVE_INFINITY)
}

const LISTS = {
  pairs: { isItem: (item: string) => item.includes('='), what: 'key=value pairs with commas between them' },
  amounts: { isItem: isAmount, what: 'resource=quantity pairs such as cpu=100m,memory=1638Mi' },
  thresholds: { isItem: (item: string) => thresholdOf(item) !== undefined, what: 'thresholds such as memory.available<750Mi' },
  taints: { isItem: (item: string) => taintOf(item) !== undefined, what: 'taints such as key=value:NoSchedule' },
} as const

const RESERVABLE = ['cpu', 'memory', 'ephemeral-storage', 'pid']

function isAmount(item: string): boolean {
  const [resource = '', quantity = ''] = item.split('=')
  return RESERVABLE.includes(resource) && (parseQuantity(quantity) ?? -1) >= 0
}

function items(value: string): readonly string[] {
  return value.split(',').filter((item) => item !== '')
}

const SIGNALS = ['memory.available', 'nodefs.available', 'nodefs.inodesFree', 'imagefs.available', 'imagefs.inodesFree', 'pid.available']

function thresholdOf(item: string): { readonly signal: string; readonly amount: number; readonly isPart: boolean } | undefined {
  const match = /^([a-zA-Z.]+)<([^<]+)$/.exec(item)
  const [, signal = '', bound = ''] = match ?? []
  const isPart = bound.endsWith('%')
  const amount = isPart ? parseQuantity(bound.slice(0, -1)) : parseQuantity(bound)
  if (!SIGNALS.includes(signal) || amount === undefined || amount < 0) return undefined
  return { signal, amount: isPart ? amount / 100 : amount, isPart }
}

function taintOf(item: string): Taint | undefined {
  const match = /^([A-Za-z0-9][-A-Za-z0-9_./]*)(?:=([-A-Za-z0-9_.]*))?:(NoSchedule|PreferNoSchedule|NoExecute)$/.exec(item)
  if (match === null) return undefined
  const [, key = '', value, effect = ''] = match
  return value === undefined || value === '' ? { key, effect } : { key, value, effect }
}

type IsOn = (gate: string) => boolean

/** Returns the first error of the checks that a kubelet makes once all flags are read, or a reason why the machine would never become a node. */
function contradictionOf(values: Values, isOn: IsOn): Complaint | undefined {
  const invalid =
    quotaPeriodConflict(values, isOn) ?? imageCollectionConflict(values) ?? allocatableConflict(values) ?? cpuManagerConflict(values)
  if (invalid !== undefined) return `invalid configuration: ${invalid}`
  if (values.get('register-node') === 'false') return 'register-node is false: the kubelet would never become a node'
  if (values.get('cloud-provider') !== 'external') return 'cloud-provider must be external: the node would never be initialized'
  return undefined
}

function quotaPeriodConflict(values: Values, isOn: IsOn): string | undefined {
  const period = values.get('cpu-cfs-quota-period')
  if (period === undefined) return undefined
  const ms = milliseconds(period)
  const what = `cpuCFSQuotaPeriod (--cpu-cfs-quota-period) ${period}`
  if (!isOn('CustomCPUCFSQuotaPeriod')) return ms === 100 ? undefined : `${what} requires feature gate CustomCPUCFSQuotaPeriod`
  return ms >= 1 && ms <= 1000 ? undefined : `${what} must be between 1ms and 1sec, inclusive`
}

const MS_PER_UNIT: { readonly [unit: string]: number } = { ns: 1e-6, us: 1e-3, ms: 1, s: 1e3, m: 60e3, h: 3600e3 }

function milliseconds(duration: string): number {
  const parts = duration.matchAll(/([0-9]*\.?[0-9]+)(ns|us|ms|s|m|h)/g)
  return [...parts].reduce((sum, [, amount, unit = '']) => sum + Number(amount) * (ownValue(MS_PER_UNIT, unit) ?? 0), 0)
}

function imageCollectionConflict(values: Values): string | undefined {
  const high = Number(values.get('image-gc-high-threshold') ?? 85)
  const low = Number(values.get('image-gc-low-threshold') ?? 80)
  return low < high ? undefined : `image-gc-low-threshold ${low} must be less than image-gc-high-threshold ${high}`
}

const ENFORCEABLE = ['none', 'pods', 'system-reserved', 'kube-reserved']

function allocatableConflict(values: Values): string | undefined {
  const enforced = items(values.get('enforce-node-allocatable') ?? 'pods')
  const odd = enforced.find((each) => !ENFORCEABLE.includes(each))
  if (odd !== undefined) return `enforce-node-allocatable does not know "${odd}"`
  const twice = enforced.find((each, index) => enforced.indexOf(each) !== index)
  if (twice !== undefined) return `enforce-node-allocatable has "${twice}" twice`
  const named = enforced.filter((each) => each !== 'none')
  if (named.length > 0 && named.length < enforced.length) return 'enforce-node-allocatable has "none" beside other values'
  const [first] = named
  if (first !== undefined && values.get('cgroups-per-qos') === 'false') return `enforce-node-allocatable ${first} needs cgroups-per-qos`
  const bare = named.find((each) => each !== 'pods' && (values.get(`${each}-cgroup`) ?? '') === '')
  return bare === undefined ? undefined : `enforce-node-allocatable ${bare} needs ${bare}-cgroup`
}

function cpuManagerConflict(values: Values): string | undefined {
  const isBare = values.get('cpu-manager-policy') === 'static' && (reservedBy(values)['cpu'] ?? 0) === 0
  return isBare ? 'cpu-manager-policy static needs cpu in kube-reserved or system-reserved' : undefined
}

function settingsOf(values: Values): KubeletSettings {
  return {
    hostname: values.get('hostname-override'),
    maxPods: Number(values.get('max-pods') ?? 110),
    reserved: reservedBy(values),
    eviction: evictionOf(values),
    taints: items(values.get('register-with-taints') ?? '').flatMap((item) => taintOf(item) ?? []),
    labels: pairs(values.get('node-labels')),
  }
}

function reservedBy(values: Values): Amounts {
  const own = (name: string) => parseAmounts(Object.fromEntries(pairs(values.get(name))))
  return add(own('kube-reserved'), own('system-reserved'))
}

function evictionOf(values: Values): KubeletSettings['eviction'] {
  const hard = values.get('eviction-hard') ?? 'memory.available<100Mi,nodefs.available<10%'
  const thresholds = items(hard).flatMap((item) => thresholdOf(item) ?? [])
  const amount = (signal: string, isPart: boolean) =>
    thresholds.find((each) => each.signal === signal && each.isPart === isPart)?.amount ?? 0
  return {
    memoryBytes: amount('memory.available', false),
    memoryPart: amount('memory.available', true),
    diskPart: amount('nodefs.available', true),
  }
}

/** Returns the pairs of a text such as `a=1,b=`. */
export function pairs(text: string | undefined): readonly (readonly [string, string])[] {
  return items(text ?? '').map((item) => {
    const at = item.indexOf('=')
    return at < 0 ? ([item, ''] as const) : ([item.slice(0, at), item.slice(at + 1)] as const)
  })
}
