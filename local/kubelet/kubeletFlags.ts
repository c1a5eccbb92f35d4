import { err, ok, type Result } from '../../shared/base/result.ts'
import type { Taint } from '../cluster/client/objects.ts'
import { type Amounts, parseAmounts, parseQuantity } from '../cluster/quantity.ts'
import { type Flag, KUBELET_FLAGS } from './flagTable.ts'

/** What of a kubelet's command line shows on its node. */
export type KubeletSettings = {
  readonly hostname: string | undefined
  readonly maxPods: number
  readonly reserved: Amounts
  /** Memory kept free, in bytes, and the part of the disk, 0 to 1. */
  readonly eviction: { readonly memoryBytes: number; readonly memoryPart: number; readonly diskPart: number }
  readonly taints: readonly Taint[]
  readonly labels: readonly (readonly [string, string])[]
}

/** What the kubelet prints before it exits. */
type Complaint = string
type Values = ReadonlyMap<string, string>

/** Parses a kubelet's command line as the kubelet of that minor version would, or says why it would not start. */
export function parseKubeletFlags(commandLine: string, minor: number): Result<KubeletSettings, Complaint> {
  const values = readFlags(commandLine, minor)
  if (!values.ok) return values
  const contradiction = contradictionOf(values.value)
  if (contradiction !== undefined) return err(contradiction)
  return ok(settingsOf(values.value))
}

function readFlags(commandLine: string, minor: number): Result<Values, Complaint> {
  const values = new Map<string, string>()
  const words = commandLine.split(/\s+/).filter((word) => word !== '')
  for (let index = 0; index < words.length; index++) {
    const match = /^--([a-z][a-z0-9-]*)(?:=(.*))?$/s.exec(words[index] ?? '')
    if (match === null) return err(`unknown command ${words[index]}`)
    const [, name = '', inline] = match
    const flag = Object.hasOwn(KUBELET_FLAGS, name) ? KUBELET_FLAGS[name] : undefined
    if (flag === undefined || minor < (flag.since ?? 0) || minor >= (flag.until ?? Number.POSITIVE_INFINITY)) {
      return err(`failed to parse kubelet flag: unknown flag: --${name}`)
    }
    const value = inline ?? (flag.kind === 'bool' ? 'true' : words[++index])
    if (value === undefined) return err(`failed to parse kubelet flag: flag needs an argument: --${name}`)
    const complaint = complaintAbout(flag, value)
    if (complaint !== undefined) {
      return err(`failed to parse kubelet flag: invalid argument "${value}" for "--${name}" flag: ${complaint}`)
    }
    values.set(name, value)
  }
  return ok(values)
}

function complaintAbout(flag: Flag, value: string): Complaint | undefined {
  switch (flag.kind) {
    case 'text':
    case 'list':
      return undefined
    case 'bool':
      return /^(true|false|1|0|t|f|TRUE|FALSE|True|False)$/.test(value) ? undefined : 'must be true or false'
    case 'integer': {
      const number = Number(value)
      const inside = number >= flag.least && number <= (flag.most ?? Number.POSITIVE_INFINITY)
      return /^-?[0-9]+$/.test(value) && inside ? undefined : `must be an integer of at least ${flag.least}`
    }
    case 'choice':
      return flag.values.includes(value) ? undefined : `must be one of ${flag.values.map((each) => `"${each}"`).join(', ')}`
    case 'duration':
      return /^(([0-9]*\.)?[0-9]+(ns|us|ms|s|m|h))+$/.test(value) ? undefined : 'must be a duration such as 4h'
    case 'pairs':
      return items(value).every((item) => item.includes('=')) ? undefined : 'must be key=value pairs with commas between them'
    case 'amounts':
      return items(value).every(isAmount) ? undefined : 'must be resource=quantity pairs such as cpu=100m,memory=1638Mi'
    case 'thresholds':
      return items(value).every((item) => thresholdOf(item) !== undefined) ? undefined : 'must be thresholds such as memory.available<750Mi'
    case 'taints':
      return items(value).every((item) => taintOf(item) !== undefined) ? undefined : 'must be taints such as key=value:NoSchedule'
  }
}

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

function contradictionOf(values: Values): Complaint | undefined {
  const high = Number(values.get('image-gc-high-threshold') ?? 85)
  const low = Number(values.get('image-gc-low-threshold') ?? 80)
  if (low >= high) return `invalid configuration: image-gc-low-threshold ${low} must be less than image-gc-high-threshold ${high}`
  const enforced = items(values.get('enforce-node-allocatable') ?? 'pods')
  if (enforced.includes('pods') && values.get('cgroups-per-qos') === 'false') {
    return 'invalid configuration: enforce-node-allocatable pods needs cgroups-per-qos'
  }
  const odd = enforced.find((each) => !['none', 'pods', 'system-reserved', 'kube-reserved'].includes(each))
  if (odd !== undefined) return `invalid configuration: enforce-node-allocatable does not know "${odd}"`
  if (values.get('cpu-manager-policy') === 'static' && !((settingsOf(values).reserved['cpu'] ?? 0) > 0)) {
    return 'invalid configuration: cpu-manager-policy static needs cpu in kube-reserved or system-reserved'
  }
  if (values.get('anonymous-auth') === 'true' && values.get('authorization-mode') === 'AlwaysAllow') return undefined
  if (values.get('register-node') === 'false') return 'register-node is false: the kubelet would never become a node'
  if (values.get('cloud-provider') !== 'external') return 'cloud-provider must be external: the node would never be initialized'
  return undefined
}

function settingsOf(values: Values): KubeletSettings {
  const reserved: Record<string, number> = {}
  for (const name of ['kube-reserved', 'system-reserved']) {
    const own = parseAmounts(Object.fromEntries(pairs(values.get(name))))
    for (const [resource, amount] of Object.entries(own)) reserved[resource] = (reserved[resource] ?? 0) + amount
  }
  const hard = values.get('eviction-hard') ?? 'memory.available<100Mi,nodefs.available<10%'
  const thresholds = items(hard).flatMap((item) => thresholdOf(item) ?? [])
  const memory = thresholds.find(({ signal }) => signal === 'memory.available')
  const disk = thresholds.find(({ signal }) => signal === 'nodefs.available')
  return {
    hostname: values.get('hostname-override'),
    maxPods: Number(values.get('max-pods') ?? 110),
    reserved,
    eviction: {
      memoryBytes: memory?.isPart === false ? memory.amount : 0,
      memoryPart: memory?.isPart === true ? memory.amount : 0,
      diskPart: disk?.isPart === true ? disk.amount : 0,
    },
    taints: items(values.get('register-with-taints') ?? '').flatMap((item) => taintOf(item) ?? []),
    labels: pairs(values.get('node-labels')),
  }
}

/** `a=1,b=` as pairs. */
export function pairs(text: string | undefined): readonly (readonly [string, string])[] {
  return items(text ?? '').map((item) => {
    const at = item.indexOf('=')
    return at < 0 ? ([item, ''] as const) : ([item.slice(0, at), item.slice(at + 1)] as const)
  })
}
