export type Values = { readonly [name: string]: unknown }

export const APP_OBJECT_ID = '0f8a6b1e-52c4-4b0d-9a37-6d1f2e3c4b5a'

const SPOT = { topicEndpoint: 'https://topic.example.com/api/events' }

export const REQUIRED: Values = {
  cluster: 'demo',
  endpoint: 'https://app.example.com',
  app: { objectId: APP_OBJECT_ID },
  identity: { clientId: '1b2c3d4e-5f60-4718-9a2b-3c4d5e6f7081' },
  spot: SPOT,
}

/** The app may write the deletion cost of pods. */
export const COSTING: Values = { ...REQUIRED, rbac: { podDeletionCosts: true } }

const GUID = '2c3d4e5f-6071-4829-ab3c-4d5e6f708192'
const LONG = 'a-release-name-that-is-as-long-as-helm-lets-it-be-now'

/** Sets of values, keyed by the purpose of the installation. Each includes the required values. */
export const VALUE_SETS: {
  readonly [sentence: string]: { readonly values: Values; readonly release?: string; readonly served?: readonly string[] }
} = {
  'only what is required': { values: REQUIRED },
  'a token of Entra for the forwarder': { values: { ...REQUIRED, shimAuth: 'entra' } },
  'a token of Entra and a function key': { values: { ...REQUIRED, shimAuth: 'entra', functionKey: { secretName: 'app-key' } } },
  'a token that lives for a day, and a function key': {
    values: { ...REQUIRED, tokenExpirationSeconds: 86_400, functionKey: { secretName: 'app-key' } },
  },
  'readers of their own': {
    values: { ...REQUIRED, reader: { subjects: [{ kind: 'Group', name: 'on-call', apiGroup: 'rbac.authorization.k8s.io' }] } },
  },
  'no identity in Azure': { values: { ...REQUIRED, identity: {}, spot: { enabled: false } } },
  'one replica and no spot nodes': { values: { ...REQUIRED, shim: { replicas: 1 }, spot: { enabled: false } } },
  'every setting of the shim': {
    values: {
      ...REQUIRED,
      audience: 'api://elsewhere',
      httpPort: 9090,
      shim: {
        settings: {
          batchWindowMs: 250,
          batchMaxBytes: 1048576,
          batchMaxChanges: 2000,
          resendIntervalSeconds: 60,
          unsentMaxBytes: 33554432,
        },
      },
      spot: { topicEndpoint: 'https://topic.example.com/api/events', settings: { imdsPollMs: 500 } },
    },
  },
  'a function key, a private registry and an image by digest': {
    values: {
      ...REQUIRED,
      functionKey: { secretName: 'app-key', secretKey: 'default' },
      imagePullSecrets: [{ name: 'registry' }],
      image: { repository: 'registry.example.com/shim', tag: 'ignored', digest: `sha256:${'0a'.repeat(32)}`, pullPolicy: 'Always' },
    },
  },
  'two identities and a tenant': {
    values: {
      ...REQUIRED,
      identity: { clientId: GUID, tenantId: GUID },
      spot: { topicEndpoint: 'https://topic.example.com/api/events', clientId: GUID },
    },
  },
  'own labels, annotations, tolerations and resources': {
    values: {
      ...REQUIRED,
      commonLabels: { team: 'platform' },
      shim: {
        podLabels: { sidecar: 'off' },
        podAnnotations: { note: 'x' },
        tolerations: [{ key: 'system', operator: 'Exists' }],
        nodeSelector: { 'kubernetes.azure.com/mode': 'system' },
        resources: { requests: { cpu: '100m', memory: '256Mi' }, limits: { memory: '256Mi' } },
        priorityClassName: '',
      },
    },
  },
  'a narrow network': {
    values: {
      ...REQUIRED,
      networkPolicy: {
        apiServerPort: 6443,
        httpsTo: ['10.0.0.0/8', '20.0.0.0/8'],
        scrapers: [{ namespaceSelector: { matchLabels: { name: 'monitoring' } } }],
      },
    },
  },
  'the proxy of the cluster': {
    values: {
      ...REQUIRED,
      proxy: { url: 'http://proxy.corp.example:3128/', noProxy: ['corp.example', '.local.example', '10.0.0.0/8', '10.1.2.3'] },
      trustedCertificates: '-----BEGIN CERTIFICATE-----\nYQ==\n-----END CERTIFICATE-----\n',
      shim: { podAnnotations: { note: 'x' } },
    },
  },
  'a proxy by https, and nothing else that is mounted': {
    values: {
      ...REQUIRED,
      shimAuth: 'entra',
      proxy: { url: 'https://proxy.corp.example' },
      spot: { ...SPOT, podAnnotations: { note: 'x' } },
    },
  },
  'authorities, and no proxy': {
    values: { ...REQUIRED, shimAuth: 'entra', trustedCertificates: '-----BEGIN CERTIFICATE-----\nYQ==\n-----END CERTIFICATE-----\n' },
  },
  'no network policy and no roles for users': {
    values: { ...REQUIRED, networkPolicy: { enabled: false }, rbac: { aggregate: false } },
  },
  'deletion costs of pods': { values: COSTING },
  'a Prometheus operator is there': { values: REQUIRED, served: ['monitoring.coreos.com/v1/PodMonitor'] },
  'a Prometheus operator that takes ServiceMonitors': {
    values: { ...REQUIRED, monitor: { kind: 'ServiceMonitor', labels: { release: 'prometheus' } } },
    served: ['monitoring.coreos.com/v1/PodMonitor', 'monitoring.coreos.com/v1/ServiceMonitor'],
  },
  "ServiceMonitors of Azure's managed Prometheus, and no spot nodes": {
    values: {
      ...REQUIRED,
      spot: { enabled: false },
      monitor: { kind: 'ServiceMonitor', create: 'always', apiGroup: 'azmonitoring.coreos.com' },
    },
  },
  'an object id in upper case': { values: { ...REQUIRED, app: { objectId: APP_OBJECT_ID.toUpperCase() } } },
  "Azure's managed Prometheus": {
    values: {
      ...REQUIRED,
      monitor: { create: 'always', apiGroup: 'azmonitoring.coreos.com', interval: '15s', labels: { scrape: 'yes' } },
    },
  },
  'the longest release name': { values: REQUIRED, release: LONG },
  'a name of its own': { values: { ...REQUIRED, fullnameOverride: 'eyes', nameOverride: 'shim' }, release: 'other' },
}
