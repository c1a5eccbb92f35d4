import type { ClusterConfig } from '../../../wire/clusterConfig.ts'

/**
 * The proxy of the cluster and the certificate authorities that its nodes trust, as variables for the scripts of the image: `configureEtcEnvironment`,
 * `configureHTTPProxyCA` and `configureCustomCaCertificate` read them, and the scripts evaluate PROXY_VARS before they fetch anything.
 * (Azure/AgentBaker, parts/linux/cloud-init/artifacts/cse_cmd.sh, cse_config.sh and cse_main.sh of 2026-08-21.)
 */
export function outboundVariables({ httpProxy, trustedCertificates }: ClusterConfig): Record<string, string> {
  return {
    ...(httpProxy === undefined ? {} : proxyVariables(httpProxy)),
    ...(trustedCertificates.length === 0 ? {} : trustVariables(trustedCertificates)),
  }
}

function proxyVariables({ http = '', https = '', noProxy, trustedCa }: NonNullable<ClusterConfig['httpProxy']>): Record<string, string> {
  const exceptions = noProxy.join(',')
  // curl reads the name of http in lower case only.
  const exported = [
    ['NO_PROXY', exceptions],
    ['HTTPS_PROXY', https],
    ['http_proxy', http],
  ].flatMap(([name, value]) => (value === '' ? [] : [`export ${name}="${value}";`]))
  return {
    SHOULD_CONFIGURE_HTTP_PROXY: 'true',
    HTTP_PROXY_URLS: http,
    HTTPS_PROXY_URLS: https,
    NO_PROXY_URLS: exceptions,
    PROXY_VARS: exported.join(' '),
    ...(trustedCa === undefined ? {} : { SHOULD_CONFIGURE_HTTP_PROXY_CA: 'true', HTTP_PROXY_TRUSTED_CA: trustedCa }),
  }
}

function trustVariables(certificates: readonly string[]): Record<string, string> {
  return {
    SHOULD_CONFIGURE_CUSTOM_CA_TRUST: 'true',
    CUSTOM_CA_TRUST_COUNT: String(certificates.length),
    ...Object.fromEntries(certificates.map((certificate, at) => [`CUSTOM_CA_CERT_${at}`, certificate])),
  }
}
