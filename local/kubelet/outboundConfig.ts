import type { ShellScript } from './shellScript.ts'

const PEM = '-----BEGIN CERTIFICATE-----'

/**
 * Why the scripts of the image would fail with the proxy or the certificate authorities of customData. Undefined if they would not.
 *
 * - `configureHTTPProxyCA` and `configureCustomCaCertificate` decode base64 to files, and the update of the trust store fails for what is no
 *   certificate. The number of certificates is counted. (Azure/AgentBaker, cse_config.sh, 2026-08-21.)
 * - The kubelet shows its client certificate to the API server, which no proxy passes on. Its requests for metadata must not leave the machine, either.
 *   (kubernetes-sigs/cluster-api-provider-azure#1947, 2022-01.)
 */
export function outboundFailure({ variables }: Pick<ShellScript, 'variables'>, apiServer: string): string | undefined {
  const read = (name: string): string => variables.get(name) ?? ''
  if (read('SHOULD_CONFIGURE_CUSTOM_CA_TRUST') === 'true') {
    const count = Number(read('CUSTOM_CA_TRUST_COUNT'))
    const names = Array.from({ length: count }, (_, at) => `CUSTOM_CA_CERT_${at}`)
    const bad = names.find((name) => !isCertificate(read(name)))
    if (!(count > 0) || bad !== undefined) return `${bad ?? 'CUSTOM_CA_TRUST_COUNT'} is no base64 of PEM: the trust store is not updated`
  }
  if (read('SHOULD_CONFIGURE_HTTP_PROXY_CA') === 'true' && !isCertificate(read('HTTP_PROXY_TRUSTED_CA')))
    return 'HTTP_PROXY_TRUSTED_CA is no base64 of PEM: the trust store is not updated'
  if (read('SHOULD_CONFIGURE_HTTP_PROXY') !== 'true') return undefined
  if (read('HTTP_PROXY_URLS') === '' && read('HTTPS_PROXY_URLS') === '') return 'HTTP_PROXY_URLS and HTTPS_PROXY_URLS are empty'
  if (!read('PROXY_VARS').includes(`export NO_PROXY="${read('NO_PROXY_URLS')}";`))
    return 'PROXY_VARS exports other exceptions than NO_PROXY_URLS'
  const exceptions = read('NO_PROXY_URLS').split(',')
  const behind = [apiServer, 'localhost', '127.0.0.1', '169.254.169.254', '168.63.129.16'].find((each) => !exceptions.includes(each))
  return behind === undefined ? undefined : `NO_PROXY_URLS lacks ${behind}, which no proxy reaches for a node`
}

function isCertificate(base64: string): boolean {
  return /^[A-Za-z0-9+/]+={0,2}$/.test(base64) && Buffer.from(base64, 'base64').toString('utf8').startsWith(PEM)
}
