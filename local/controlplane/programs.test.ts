import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { apiServer, authenticationFile, controllerManager, etcd, type Layout, scheduler, writeAuthentication } from './programs.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'joiner-programs-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function layout(): Layout {
  return {
    folder,
    binaries: { etcd: '/bin/e', 'kube-apiserver': '/bin/a', 'kube-controller-manager': '/bin/c', 'kube-scheduler': '/bin/s' },
    keys: { caCertificate: '', file: (name) => `/keys/${name}` },
    ports: { etcd: 1, etcdPeer: 2, apiServer: 3 },
    kubeconfigOf: (client) => `/of/${client}`,
  }
}
const read = (file: string): unknown => parse(readFileSync(file, 'utf8'))

/** Returns the value of a flag. */
function flag(args: readonly string[], name: string): string | undefined {
  return args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3)
}

describe('the programs of a control plane', () => {
  it('are each the file of its name, and write each to a log of its own', () => {
    const all = [etcd(layout()), apiServer(layout()), controllerManager(layout(), []), scheduler(layout())]
    expect(all.map(({ name, file, logFile }) => [name, file, logFile])).toEqual([
      ['etcd', '/bin/e', join(folder, 'etcd.log')],
      ['kube-apiserver', '/bin/a', join(folder, 'kube-apiserver.log')],
      ['kube-controller-manager', '/bin/c', join(folder, 'kube-controller-manager.log')],
      ['kube-scheduler', '/bin/s', join(folder, 'kube-scheduler.log')],
    ])
  })

  it('find each other: the API server etcd, the others the API server', () => {
    expect(flag(etcd(layout()).args, 'listen-client-urls')).toBe(flag(apiServer(layout()).args, 'etcd-servers'))
    expect(flag(apiServer(layout()).args, 'secure-port')).toBe('3')
    expect(flag(controllerManager(layout(), []).args, 'kubeconfig')).toBe('/of/kube-controller-manager')
    const config = flag(scheduler(layout()).args, 'config') ?? ''
    expect(read(config)).toMatchObject({
      kind: 'KubeSchedulerConfiguration',
      leaderElection: { leaderElect: false },
      clientConnection: { kubeconfig: '/of/kube-scheduler' },
    })
  })

  it('have the default profile of the scheduler unless profiles are given', () => {
    const configOf = (of: Layout): unknown => read(flag(scheduler(of).args, 'config') ?? '')
    expect(configOf(layout())).not.toHaveProperty('profiles')
    const profiles = [{ schedulerName: 'default-scheduler' }, { schedulerName: 'spread' }]
    expect(configOf({ ...layout(), schedulerProfiles: profiles })).toMatchObject({ profiles })
  })

  it('take further flags of the controller manager after their own', () => {
    expect(controllerManager(layout(), ['--controllers=-ttl']).args.at(-1)).toBe('--controllers=-ttl')
  })
})

describe('the API server', () => {
  it('is the issuer of its tokens unless another is named', () => {
    expect(flag(apiServer(layout()).args, 'service-account-issuer')).toBe('https://127.0.0.1:3')
    expect(flag(apiServer({ ...layout(), issuer: 'https://issuer' }).args, 'service-account-issuer')).toBe('https://issuer')
  })

  it('lets strangers see that it lives, who issues its tokens and nothing else, and knows the issuers it was given', () => {
    const file = flag(apiServer(layout()).args, 'authentication-config') ?? ''
    expect(file).toBe(authenticationFile(folder))
    const issuer = { issuer: { url: 'https://issuer', audiences: ['a'] } }
    writeAuthentication(file, [issuer])
    expect(read(file)).toEqual({
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AuthenticationConfiguration',
      jwt: [issuer],
      anonymous: {
        enabled: true,
        conditions: ['/livez', '/readyz', '/healthz', '/.well-known/openid-configuration', '/openid/v1/jwks'].map((path) => ({ path })),
      },
    })
  })

  it('writes down who did what to which kind, once each, without bodies', () => {
    const { args } = apiServer(layout())
    expect(read(flag(args, 'audit-policy-file') ?? '')).toMatchObject({
      kind: 'Policy',
      omitStages: ['RequestReceived'],
      rules: [{ level: 'Metadata' }],
    })
    expect(flag(args, 'audit-log-path')).toBe(join(folder, 'audit.log'))
  })
})
