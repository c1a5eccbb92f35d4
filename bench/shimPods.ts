/** Returns a pod as a real API server lists it: about 5 KB of JSON, most of which a scheduler does not need. */
export function realisticPod(index: number, options: PodOptions = {}): object {
  const name = `web-${Math.floor(index / 20)}-${(index * 7919).toString(36).padStart(8, '0')}`
  const namespace = `team-${index % 40}`
  const app = `web-${Math.floor(index / 20)}`
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      uid: `${index.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`,
      resourceVersion: String(options.resourceVersion ?? 1),
      creationTimestamp: '2026-11-01T00:00:00Z',
      generateName: `${app}-`,
      labels: { app, tier: 'frontend', 'pod-template-hash': '5d4f8c7b9d', round: String(options.round ?? 0) },
      annotations: { 'prometheus.io/scrape': 'true', 'prometheus.io/port': '8080', 'checksum/config': 'e3b0c44298fc1c149afbf4c8996fb924' },
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `${app}-5d4f8c7b9d`, uid: 'r-1', controller: true, blockOwnerDeletion: true },
      ],
      managedFields: MANAGED_FIELDS,
    },
    spec: {
      nodeName: options.pending ? undefined : `aks-nodepool-${index % 500}`,
      schedulerName: 'default-scheduler',
      serviceAccountName: 'default',
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      priority: 0,
      preemptionPolicy: 'PreemptLowerPriority',
      enableServiceLinks: true,
      containers: [
        {
          name: 'main',
          image: 'registry.example.com/team/web-frontend:v1.42.0',
          ports: [{ containerPort: 8080, protocol: 'TCP' }],
          env: ENVIRONMENT,
          resources: { requests: { cpu: '250m', memory: '256Mi' }, limits: { memory: '512Mi' } },
          volumeMounts: [{ name: 'kube-api-access', readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }],
          livenessProbe: { httpGet: { path: '/healthz', port: 8080, scheme: 'HTTP' }, periodSeconds: 10, failureThreshold: 3 },
          terminationMessagePath: '/dev/termination-log',
          imagePullPolicy: 'IfNotPresent',
        },
      ],
      volumes: [
        {
          name: 'kube-api-access',
          projected: { defaultMode: 420, sources: [{ serviceAccountToken: { expirationSeconds: 3607, path: 'token' } }] },
        },
      ],
      tolerations: ['not-ready', 'unreachable'].map((key) => ({
        key: `node.kubernetes.io/${key}`,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      })),
    },
    status: options.pending ? PENDING : { ...RUNNING, podIP: `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}` },
  }
}

export type PodOptions = { readonly resourceVersion?: number; readonly round?: number; readonly pending?: boolean }

const ENVIRONMENT = Array.from({ length: 12 }, (_, index) => ({
  name: `SETTING_NUMBER_${index}`,
  value: `a-value-of-some-length-${index}`,
}))

const MANAGED_FIELDS = ['kube-controller-manager', 'kube-scheduler', 'kubelet'].map((manager) => ({
  manager,
  operation: 'Update',
  apiVersion: 'v1',
  time: '2026-11-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1: {
    'f:metadata': {
      'f:generateName': {},
      'f:labels': { '.': {}, 'f:app': {}, 'f:tier': {}, 'f:pod-template-hash': {} },
      'f:ownerReferences': {},
    },
    'f:spec': {
      'f:containers': { 'k:{"name":"main"}': { '.': {}, 'f:env': {}, 'f:image': {}, 'f:name': {}, 'f:ports': {}, 'f:resources': {} } },
    },
    'f:status': {
      'f:conditions': { 'k:{"type":"Ready"}': { '.': {}, 'f:lastProbeTime': {}, 'f:status': {}, 'f:type': {} } },
      'f:podIP': {},
    },
  },
}))

const CONDITIONS = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
  type,
  status: 'True',
  lastProbeTime: null,
  lastTransitionTime: '2026-11-01T00:00:05Z',
}))

const RUNNING = {
  phase: 'Running',
  qosClass: 'Burstable',
  hostIP: '10.224.0.4',
  startTime: '2026-11-01T00:00:01Z',
  conditions: CONDITIONS,
  containerStatuses: [
    {
      name: 'main',
      ready: true,
      started: true,
      restartCount: 0,
      image: 'registry.example.com/team/web-frontend:v1.42.0',
      imageID: 'registry.example.com/team/web-frontend@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      containerID: 'containerd://2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
      state: { running: { startedAt: '2026-11-01T00:00:03Z' } },
      lastState: {},
    },
  ],
}

const PENDING = {
  phase: 'Pending',
  qosClass: 'Burstable',
  conditions: [
    {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message: '0/500 nodes are available',
      lastTransitionTime: '2026-11-01T00:00:02Z',
    },
  ],
}
