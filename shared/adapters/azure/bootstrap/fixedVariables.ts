import type { Cloud } from '../../../model/cloud.ts'

const SCRIPTS = '/opt/azure/containers'

/** Variables for the provisioning scripts of the node image that are the same for every node of a cloud. */
export function fixedVariables({ name, facts }: Cloud): Readonly<Record<string, string>> {
  return {
    ...FIXED,
    OUTBOUND_COMMAND: `curl -v --insecure --proxy-insecure https://${facts.imageRegistry}/v2/`,
    MCR_REPOSITORY_BASE: facts.imageRegistry,
    TARGET_CLOUD: name,
    TARGET_ENVIRONMENT: name,
  }
}

const FIXED: Readonly<Record<string, string>> = {
  VM_TYPE: 'standard',
  SERVICE_PRINCIPAL_CLIENT_ID: 'msi',
  SERVICE_PRINCIPAL_FILE_CONTENT: base64('msi'),
  CLOUDPROVIDER_BACKOFF: 'true',
  CLOUDPROVIDER_BACKOFF_MODE: 'v2',
  CLOUDPROVIDER_BACKOFF_RETRIES: '6',
  CLOUDPROVIDER_BACKOFF_EXPONENT: '0',
  CLOUDPROVIDER_BACKOFF_DURATION: '5',
  CLOUDPROVIDER_BACKOFF_JITTER: '0',
  CLOUDPROVIDER_RATELIMIT: 'true',
  CLOUDPROVIDER_RATELIMIT_QPS: '10',
  CLOUDPROVIDER_RATELIMIT_QPS_WRITE: '10',
  CLOUDPROVIDER_RATELIMIT_BUCKET: '100',
  CLOUDPROVIDER_RATELIMIT_BUCKET_WRITE: '100',
  LOAD_BALANCER_DISABLE_OUTBOUND_SNAT: 'false',
  LOAD_BALANCER_SKU: 'Standard',
  EXCLUDE_MASTER_FROM_STANDARD_LB: 'true',
  MAXIMUM_LOADBALANCER_RULE_COUNT: '250',
  USE_MANAGED_IDENTITY_EXTENSION: 'true',
  USE_INSTANCE_METADATA: 'true',
  CONTAINER_RUNTIME: 'containerd',
  CLI_TOOL: 'ctr',
  IS_VHD: 'true',
  NEEDS_CONTAINERD: 'true',
  NEEDS_CGROUPV2: 'true',
  NEEDS_DOCKER_LOGIN: 'false',
  ENABLE_TLS_BOOTSTRAPPING: 'true',
  ENABLE_SECURE_TLS_BOOTSTRAPPING: 'false',
  ENABLE_KUBELET_SERVING_CERTIFICATE_ROTATION: 'false',
  ENABLE_IMDS_RESTRICTION: 'false',
  ENABLE_UNATTENDED_UPGRADES: 'false',
  KUBELET_CONFIG_FILE_ENABLED: 'false',
  CSE_HELPERS_FILEPATH: `${SCRIPTS}/provision_source.sh`,
  CSE_DISTRO_HELPERS_FILEPATH: `${SCRIPTS}/provision_source_distro.sh`,
  CSE_INSTALL_FILEPATH: `${SCRIPTS}/provision_installs.sh`,
  CSE_DISTRO_INSTALL_FILEPATH: `${SCRIPTS}/provision_installs_distro.sh`,
  CSE_CONFIG_FILEPATH: `${SCRIPTS}/provision_configs.sh`,
  CUSTOM_SEARCH_DOMAIN_FILEPATH: `${SCRIPTS}/setup-custom-search-domains.sh`,
  CSE_TIMEOUT: '15m',
  SGX_NODE: 'false',
  MIG_NODE: 'false',
  IS_KRUSTLET: 'false',
  IS_KATA: 'false',
  TELEPORT_ENABLED: 'false',
  SHOULD_ENABLE_LOCALDNS: 'false',
  SHOULD_CONFIGURE_HTTP_PROXY: 'false',
  SHOULD_CONFIGURE_HTTP_PROXY_CA: 'false',
  SHOULD_CONFIGURE_CUSTOM_CA_TRUST: 'false',
  IPV6_DUAL_STACK_ENABLED: 'false',
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64')
}
