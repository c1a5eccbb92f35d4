import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { defined } from '../../shared/base/values.ts'
import { KUBE_YAML } from '../../shared/wire/kube/kubeYaml.ts'
import { ISSUER_PATHS } from '../kubernetes/access/accountIssuer.ts'
import type { Binaries } from './binaries.ts'
import type { Client, Keys } from './keys.ts'
import type { ProgramOptions } from './program.ts'

export type Layout = {
  readonly folder: string
  readonly binaries: Binaries
  readonly keys: Keys
  readonly ports: { readonly etcd: number; readonly etcdPeer: number; readonly apiServer: number }
  readonly kubeconfigOf: (client: Client) => string
  /** The issuer of service account tokens. Undefined for the address of the API server itself. */
  readonly issuer?: string
  /** `profiles` of the scheduler. Undefined: its default profile. */
  readonly schedulerProfiles?: readonly object[]
}

const ISSUER_DOCUMENTS = Object.values(ISSUER_PATHS).map((path) => ({ path }))

/** Requests per second that scheduler and controllers may send. It is far above their defaults, so that it never limits a test. */
const CLIENT_QPS = 2_000

export function authenticationFile(folder: string): string {
  return join(folder, 'authentication.yaml')
}

/** Writes the API server's authentication settings with these token issuers. The API server reads the file again when it changes. */
export function writeAuthentication(file: string, issuers: readonly object[]): void {
  const anonymous = { enabled: true, conditions: [{ path: '/livez' }, { path: '/readyz' }, { path: '/healthz' }, ...ISSUER_DOCUMENTS] }
  writeFileSync(
    file,
    stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthenticationConfiguration', jwt: issuers, anonymous }, KUBE_YAML),
  )
}

export function etcd({ folder, binaries, ports }: Layout): ProgramOptions {
  const peer = `http://127.0.0.1:${ports.etcdPeer}`
  const client = `http://127.0.0.1:${ports.etcd}`
  return {
    name: 'etcd',
    file: binaries.etcd,
    logFile: join(folder, 'etcd.log'),
    // The data does not outlive the process, so etcd does not have to sync it to disk.
    args: [
      '--unsafe-no-fsync',
      `--data-dir=${join(folder, 'etcd')}`,
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
      '--log-level=warn',
    ],
  }
}

export function apiServer({ folder, binaries, keys, ports, issuer }: Layout): ProgramOptions {
  const url = `https://127.0.0.1:${ports.apiServer}`
  return {
    name: 'kube-apiserver',
    file: binaries['kube-apiserver'],
    logFile: join(folder, 'kube-apiserver.log'),
    args: [
      `--etcd-servers=http://127.0.0.1:${ports.etcd}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${ports.apiServer}`,
      `--tls-cert-file=${keys.file('server.crt')}`,
      `--tls-private-key-file=${keys.file('server.key')}`,
      `--client-ca-file=${keys.file('ca.crt')}`,
      `--service-account-key-file=${keys.file('accounts.pub')}`,
      `--service-account-signing-key-file=${keys.file('accounts.key')}`,
      // By default its own address, where everybody may read the keys of the issuer. AKS has a public address for that.
      `--service-account-issuer=${issuer ?? url}`,
      `--service-account-jwks-uri=${url}${ISSUER_PATHS.keys}`,
      '--service-cluster-ip-range=10.0.0.0/16',
      '--authorization-mode=Node,RBAC',
      '--enable-admission-plugins=NodeRestriction',
      '--enable-bootstrap-token-auth=true',
      `--authentication-config=${authenticationFile(folder)}`,
      `--audit-policy-file=${writeAuditPolicy(folder)}`,
      `--audit-log-path=${join(folder, 'audit.log')}`,
      // No client reaches the API server through a Service here, and a loopback address may not be advertised.
      '--endpoint-reconciler-type=none',
      '--profiling=false',
    ],
  }
}

export function controllerManager({ folder, binaries, keys, kubeconfigOf }: Layout, further: readonly string[]): ProgramOptions {
  return {
    name: 'kube-controller-manager',
    file: binaries['kube-controller-manager'],
    logFile: join(folder, 'kube-controller-manager.log'),
    args: [
      `--kubeconfig=${kubeconfigOf('kube-controller-manager')}`,
      '--leader-elect=false',
      '--secure-port=0',
      '--controllers=*,bootstrapsigner,tokencleaner',
      '--use-service-account-credentials=true',
      `--service-account-private-key-file=${keys.file('accounts.key')}`,
      `--root-ca-file=${keys.file('ca.crt')}`,
      `--cluster-signing-cert-file=${keys.file('ca.crt')}`,
      `--cluster-signing-key-file=${keys.file('ca.key')}`,
      `--kube-api-qps=${CLIENT_QPS}`,
      `--kube-api-burst=${CLIENT_QPS}`,
      ...further,
    ],
  }
}

export function scheduler({ folder, binaries, kubeconfigOf, schedulerProfiles }: Layout): ProgramOptions {
  const config = join(folder, 'scheduler.yaml')
  const clientConnection = { kubeconfig: kubeconfigOf('kube-scheduler'), qps: CLIENT_QPS, burst: CLIENT_QPS }
  writeFileSync(
    config,
    stringify(
      {
        apiVersion: 'kubescheduler.config.k8s.io/v1',
        kind: 'KubeSchedulerConfiguration',
        leaderElection: { leaderElect: false },
        clientConnection,
        ...defined({ profiles: schedulerProfiles }),
      },
      KUBE_YAML,
    ),
  )
  return {
    name: 'kube-scheduler',
    file: binaries['kube-scheduler'],
    logFile: join(folder, 'kube-scheduler.log'),
    args: [`--config=${config}`, '--secure-port=0'],
  }
}

/** Writes an audit policy that records callers, verbs and kinds without bodies, which is enough to compare permissions with their use. */
function writeAuditPolicy(folder: string): string {
  const file = join(folder, 'audit-policy.yaml')
  writeFileSync(
    file,
    stringify(
      { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', omitStages: ['RequestReceived'], rules: [{ level: 'Metadata' }] },
      KUBE_YAML,
    ),
  )
  return file
}
