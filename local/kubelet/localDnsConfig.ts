import { type DnsServer, readCorefile } from './image/corefile.ts'
import type { ShellScript } from './shellScript.ts'

const NODE_LISTENER = '169.254.10.10'
const CLUSTER_LISTENER = '169.254.10.11'
const STATE_LABEL = 'kubernetes.azure.com/localdns-state'
const HEALTH_ZONE = 'health-check.localdns.local'

/**
 * Why a machine with these variables does not become a node whose pods have DNS. Undefined if it does.
 *
 * - `enableLocalDNS` ends the boot where the Corefile is missing or no base64, and where CoreDNS is not ready at the address of the node.
 *   `localdns.sh` asks both listeners for its health zone. (Azure/AgentBaker, cse_config.sh and localdns.sh, 2026-08-21.)
 * - Pods get the cluster DNS of the kubelet. With local DNS that is the listener for pods, which nothing else answers at.
 *   (Azure/karpenter-provider-azure, test/suites/integration/localdns_test.go, 2026-08-21.)
 */
export function localDnsFailure(
  { variables }: Pick<ShellScript, 'variables'>,
  { clusterDns, labels }: { readonly clusterDns: string; readonly labels: { readonly [key: string]: string } },
): string | undefined {
  const isOn = variables.get('SHOULD_ENABLE_LOCALDNS') === 'true'
  if (isOn !== (clusterDns === CLUSTER_LISTENER))
    return `pods would ask ${clusterDns || 'no server'} for names, and local DNS is ${isOn ? 'on' : 'off'}`
  const state = labels[STATE_LABEL]
  if (state !== undefined && state !== (isOn ? 'enabled' : 'disabled'))
    return `${STATE_LABEL}=${state}, and local DNS is ${isOn ? 'on' : 'off'}`
  return isOn ? startFailure(variables) : undefined
}

function startFailure(variables: ShellScript['variables']): string | undefined {
  const read = (name: string): string => variables.get(name) ?? ''
  const base64 = read('LOCALDNS_COREFILE_BASE') || read('LOCALDNS_GENERATED_COREFILE')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return 'LOCALDNS_GENERATED_COREFILE is no base64: enableLocalDNS exits with 216'
  if (!/^\d+(\.\d+)?%$/.test(read('LOCALDNS_CPU_LIMIT'))) return 'LOCALDNS_CPU_LIMIT is no percentage such as 200.0%'
  if (!/^\d+[KMG]$/.test(read('LOCALDNS_MEMORY_LIMIT'))) return 'LOCALDNS_MEMORY_LIMIT is no size such as 128M'
  const servers = readCorefile(Buffer.from(base64, 'base64').toString('utf8'))
  return typeof servers === 'string' ? `CoreDNS does not start: ${servers}` : serviceFailure(servers)
}

function serviceFailure(servers: readonly DnsServer[]): string | undefined {
  for (const listener of [NODE_LISTENER, CLUSTER_LISTENER]) {
    const mine = servers.filter(({ listeners }) => listeners.includes(listener))
    const lacks = [HEALTH_ZONE, '.', 'cluster.local'].find((zone) => mine.every((server) => server.zone !== zone))
    if (lacks !== undefined) return `no server for ${lacks} listens on ${listener}`
  }
  const foreign = servers.flatMap(({ listeners }) => listeners).find((each) => each !== NODE_LISTENER && each !== CLUSTER_LISTENER)
  if (foreign !== undefined) return `CoreDNS cannot listen on ${foreign}`
  const lines = servers.flatMap(({ directives }) => directives.map(({ words }) => words.join(' ')))
  if (!lines.includes(`ready ${NODE_LISTENER}:8181`)) return `nothing answers at ${NODE_LISTENER}:8181/ready`
  const circle = lines.find((line) => /^forward \. 169\.254\.10\.1[01]$/.test(line))
  return circle === undefined ? undefined : `${circle} goes in a circle`
}
