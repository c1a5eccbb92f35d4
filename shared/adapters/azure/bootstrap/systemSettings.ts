import { ownValue } from '../../../base/values.ts'
import { parseQuantity } from '../../../model/quantity.ts'
import { SYSCTL_NAMES } from '../../../wire/schema/sysctlNames.ts'

/** The kernel settings of every machine. `linuxOSConfig.sysctls` overrides them. */
const SYSCTLS: Readonly<Record<string, string>> = {
  'net.ipv4.tcp_retries2': '8',
  'net.core.message_burst': '80',
  'net.core.message_cost': '40',
  'net.core.somaxconn': '16384',
  'net.ipv4.tcp_max_syn_backlog': '16384',
  'net.ipv4.neigh.default.gc_thresh1': '4096',
  'net.ipv4.neigh.default.gc_thresh2': '8192',
  'net.ipv4.neigh.default.gc_thresh3': '16384',
}

/** The port of Azure's agent on the machine. The kernel must not assign it. */
const RESERVED_PORT = 65_330

/** Bytes in one "MB" of the swap file in the scripts of the image. (Azure/AgentBaker, cse_config.sh of 2026-08-21.) */
const SWAP_MB = 1000 * 1024

/**
 * The `linuxOSConfig` of a NodeClass as variables for the scripts of the image: kernel settings, huge pages and swap file. `ensureSysctl`,
 * `configureTransparentHugePage` and `configureSwapFile` read them. (Azure/AgentBaker, parts/linux/cloud-init/artifacts of 2026-08-21.)
 */
export function systemVariables(linuxOsConfig: unknown): Record<string, string> {
  const swap = bytesOf(textAt(linuxOsConfig, 'swapFileSize'))
  const [pages, defrag] = [textAt(linuxOsConfig, 'transparentHugePageEnabled'), textAt(linuxOsConfig, 'transparentHugePageDefrag')]
  return {
    SYSCTL_CONTENT: Buffer.from(sysctlLines(member(linuxOsConfig, 'sysctls')), 'utf8').toString('base64'),
    SHOULD_CONFIG_SWAP_FILE: String(swap > 0),
    SWAP_FILE_SIZE_MB: String(Math.ceil(swap / SWAP_MB)),
    SHOULD_CONFIG_TRANSPARENT_HUGE_PAGE: String(pages !== '' || defrag !== ''),
    THP_ENABLED: pages,
    THP_DEFRAG: defrag,
  }
}

/**
 * The first invalid value of `linuxOSConfig`, with its path. Undefined if there is none. The schema in the cluster may be older than this program, or
 * not installed, so the values are checked here.
 */
export function systemProblem(
  linuxOsConfig: unknown,
): { readonly path: string; readonly value: string; readonly says: string } | undefined {
  const sysctls = member(linuxOsConfig, 'sysctls')
  for (const [field, value] of entriesOf(sysctls)) {
    const path = `spec.linuxOSConfig.sysctls.${field}`
    if (!Object.hasOwn(SYSCTL_NAMES, field)) return { path, value: String(value), says: 'must be a kernel setting that AKS has' }
    if (!/^\d{1,10}( \d{1,10})?$/.test(kernelText(value)))
      return { path, value: String(value), says: 'must be a whole number, true or false, or two ports' }
  }
  const swap = textAt(linuxOsConfig, 'swapFileSize')
  if (swap !== '' && bytesOf(swap) <= 0)
    return { path: 'spec.linuxOSConfig.swapFileSize', value: swap, says: 'must be a size, for example 1Gi' }
  for (const field of ['transparentHugePageEnabled', 'transparentHugePageDefrag']) {
    const value = textAt(linuxOsConfig, field)
    if (!/^(|always|defer|defer\+madvise|madvise|never)$/.test(value))
      return { path: `spec.linuxOSConfig.${field}`, value, says: 'must be always, madvise or never, or for defrag defer or defer+madvise' }
  }
  return undefined
}

function sysctlLines(sysctls: unknown): string {
  const names: Readonly<Record<string, string>> = SYSCTL_NAMES
  const asked = entriesOf(sysctls).flatMap(([field, value]) =>
    ownValue(names, field) === undefined ? [] : [[ownValue(names, field), kernelText(value)] as const],
  )
  const range = asked.find(([name]) => name === SYSCTL_NAMES.netIPv4IPLocalPortRange)?.[1]
  const reaches = Number(range?.split(' ')[1] ?? 0) >= RESERVED_PORT
  const all = {
    ...SYSCTLS,
    ...Object.fromEntries(asked),
    ...(reaches ? { 'net.ipv4.ip_local_reserved_ports': String(RESERVED_PORT) } : {}),
  }
  return Object.entries(all)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')
}

function kernelText(value: unknown): string {
  return typeof value === 'boolean' ? String(Number(value)) : String(value)
}

function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}

/** The bytes of a quantity, or 0 if the text is not a quantity. */
function bytesOf(text: string): number {
  const parsed = parseQuantity(text)
  return parsed.ok ? Number(parsed.value.nanos / 1_000_000_000n) : 0
}

/** The text of a member, empty if the member is missing. A value that is not a string becomes JSON, which every rule refuses. */
function textAt(value: unknown, name: string): string {
  const found = member(value, name) ?? ''
  return typeof found === 'string' ? found : JSON.stringify(found)
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
