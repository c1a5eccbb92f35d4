import { X509Certificate } from 'node:crypto'
import { err, ok, type Result } from '../../shared/base/result.ts'
import { type BootFailure, bootFailure } from './bootFailure.ts'
import { cutLabels, IMAGE_FLAGS, NEWEST_IMAGE, type NodeImage, waitFailure } from './image/nodeImage.ts'
import { type KubeletSettings, pairs, parseKubeletFlags } from './kubeletFlags.ts'
import { localDnsFailure } from './localDnsConfig.ts'
import { acceptNodeLabels } from './nodeLabels.ts'
import { outboundFailure } from './outboundConfig.ts'
import { readShellScript, type ShellScript } from './shellScript.ts'

/** Everything that a machine knows when it boots. CustomData is the only source. */
export type BootConfig = {
  readonly apiServer: { readonly host: string; readonly port: number }
  /** PEM. */
  readonly ca: string
  readonly bootstrapToken: string
  readonly version: { readonly text: string; readonly minor: number }
  readonly settings: KubeletSettings
  readonly labels: { readonly [key: string]: string }
  /** The architecture in the URLs of the binaries. Undefined if no URL names one. */
  readonly arch: 'amd64' | 'arm64' | undefined
  readonly hasGpuDriver: boolean
  readonly startsFabricManager: boolean
}

type Answer<Value> = Result<Value, BootFailure>

/** Reads customData as the scripts of AKS on a node image do. */
export function readBootConfig(customData: string, image: NodeImage = NEWEST_IMAGE): Answer<BootConfig> {
  const script = decode(customData)
  if (!script.ok) return script
  const waits = waitFailure(script.value, image)
  if (waits !== undefined) return err(waits)
  const read = (name: string) => variable(script.value, name)
  const apiServer = read('API_SERVER_NAME')
  const authority = read('KUBE_CA_CRT')
  const token = read('TLS_BOOTSTRAP_TOKEN')
  const versionText = read('KUBERNETES_VERSION')
  const flags = read('KUBELET_FLAGS')
  for (const each of [apiServer, authority, token, versionText, flags]) if (!each.ok) return each
  if (!(apiServer.ok && authority.ok && token.ok && versionText.ok && flags.ok)) return refuse('unreadable')
  return assemble(script.value, image, {
    apiServer: apiServer.value,
    authority: authority.value,
    token: token.value,
    version: versionText.value,
    flags: flags.value,
  })
}

type Facts = {
  readonly apiServer: string
  readonly authority: string
  readonly token: string
  readonly version: string
  readonly flags: string
}

function assemble(script: ShellScript, image: NodeImage, facts: Facts): Answer<BootConfig> {
  const apiServer = readHost(facts.apiServer)
  if (apiServer === undefined) return refuse(`API_SERVER_NAME "${facts.apiServer}" is no host name or host:port`)
  const ca = readAuthority(facts.authority)
  if (ca === undefined) return refuse('KUBE_CA_CRT is no base64 of a PEM certificate')
  if (!/^[a-z0-9]{6}\.[a-z0-9]{16}$/.test(facts.token))
    return refuse('TLS_BOOTSTRAP_TOKEN is no bootstrap token (6 characters, a point, 16 characters)')
  if ((script.variables.get('ENABLE_TLS_BOOTSTRAPPING') ?? 'true') !== 'true') return refuse('ENABLE_TLS_BOOTSTRAPPING is not true')
  const outbound = outboundFailure(script, apiServer.host)
  if (outbound !== undefined) return refuse(outbound)
  const version = /^v?1\.([0-9]+)\.[0-9]+/.exec(facts.version)
  if (version === null) return refuse(`KUBERNETES_VERSION "${facts.version}" is no version such as 1.33.2`)
  const minor = Number(version[1])
  const settings = parseKubeletFlags(`${IMAGE_FLAGS} ${facts.flags}`, minor)
  if (!settings.ok) return err(bootFailure('kubelet', settings.error))
  const labels = acceptNodeLabels([...cutLabels(pairs(script.variables.get('KUBELET_NODE_LABELS')), image), ...settings.value.labels])
  if (!labels.ok) return err(bootFailure('kubelet', labels.error))
  return withDns(script, facts.flags, {
    apiServer,
    ca,
    bootstrapToken: facts.token,
    version: { text: facts.version.replace(/^v/, ''), minor },
    settings: settings.value,
    labels: labels.value,
    arch: archOf(script),
    hasGpuDriver: script.variables.get('GPU_NODE') === 'true',
    startsFabricManager: script.variables.get('GPU_NEEDS_FABRIC_MANAGER') === 'true',
  })
}

/** The configuration, if pods of the node have DNS with it. */
function withDns(script: ShellScript, flags: string, config: BootConfig): Answer<BootConfig> {
  const clusterDns = /(?:^| )--cluster-dns=(\S*)/.exec(flags)?.[1] ?? ''
  const failure = localDnsFailure(script, { clusterDns, labels: config.labels })
  return failure === undefined ? ok(config) : err(bootFailure('provision', failure))
}

function decode(customData: string): Answer<ShellScript> {
  const text = Buffer.from(customData, 'base64').toString('utf8')
  if (!text.startsWith('#!')) return refuse('is no base64 of a script that starts with #!')
  const script = readShellScript(text)
  const starts = script.commands.some((words) => words.some((word) => word.includes('provision_start.sh')))
  return starts ? ok(script) : refuse('never runs provision_start.sh, so nothing on the machine starts the kubelet')
}

function variable(script: ShellScript, name: string): Answer<string> {
  const value = script.variables.get(name)
  if (value !== undefined && value !== '') return ok(value)
  if (value === undefined && script.variables.has(name)) return refuse(`${name} is computed by the script; give its value`)
  return refuse(`${name} is not set`)
}

function refuse(message: string): Answer<never> {
  return err(bootFailure('customData', message))
}

function readHost(text: string): { readonly host: string; readonly port: number } | undefined {
  const match = /^([A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?)(?::([0-9]{1,5}))?$/.exec(text)
  const port = Number(match?.[3] ?? 443)
  return match?.[1] === undefined || port < 1 || port > 65535 ? undefined : { host: match[1], port }
}

function readAuthority(base64: string): string | undefined {
  const pem = Buffer.from(base64, 'base64').toString('utf8')
  try {
    return new X509Certificate(pem).toString() === '' ? undefined : pem
  } catch {
    return undefined
  }
}

/** Reads the architecture from the URLs of the binaries to download. */
function archOf(script: ShellScript): BootConfig['arch'] {
  const names = ['KUBE_BINARY_URL', 'CREDENTIAL_PROVIDER_DOWNLOAD_URL', 'VNET_CNI_PLUGINS_URL', 'CNI_PLUGINS_URL']
  const urls = names.map((name) => script.variables.get(name) ?? '')
  if (urls.some((url) => url.includes('linux-arm64'))) return 'arm64'
  return urls.some((url) => url.includes('linux-amd64')) ? 'amd64' : undefined
}
