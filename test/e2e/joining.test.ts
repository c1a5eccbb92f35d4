import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { startInformer } from '../../local/cluster/client/informer.ts'
import type { Node } from '../../local/cluster/client/objects.ts'
import { NODE_CLAIMS } from '../../local/demo/claimObject.ts'
import type { Machine } from '../../local/machine.ts'
import { createBootGate } from './bootGate.ts'
import type { Environment } from './environment.ts'
import { onRealCluster } from './onCluster.ts'
import { until } from './until.ts'
import { nodes } from './waits.ts'

const REGISTRATION_SECONDS = 30

const gate = createBootGate()

onRealCluster('joining', scenarios, {
  appSettings: { REGISTRATION_TIMEOUT: `${REGISTRATION_SECONDS}s` },
  booting: gate.booting,
})

type Secret = {
  readonly type: string
  readonly data: { readonly [name: string]: string }
  readonly metadata: { readonly name: string; readonly creationTimestamp: string }
}
type Audited = {
  readonly verb: string
  readonly user: { readonly username: string; readonly groups: readonly string[] }
  readonly objectRef?: { readonly resource?: string; readonly name?: string }
  readonly responseStatus?: { readonly code: number }
}

const TOKEN = /[a-z0-9]{6}\.[a-z0-9]{16}/
const secretPath = (token: string): string => `/api/v1/namespaces/kube-system/secrets/bootstrap-token-${token.slice(0, 6)}`
const decoded = (text: string | undefined): string => Buffer.from(text ?? '', 'base64').toString()

function tokenOf({ customData }: Machine): string {
  return TOKEN.exec(/TLS_BOOTSTRAP_TOKEN=\S+/.exec(decoded(customData))?.[0] ?? '')?.[0] ?? ''
}

function withToken(machine: Machine, token: string): Machine {
  return { ...machine, customData: Buffer.from(decoded(machine.customData).replaceAll(tokenOf(machine), token)).toString('base64') }
}

function scenarios(environment: () => Environment): void {
  /** Creates one pod and returns its machine, which was started and is held before it boots. */
  async function oneHeld(): Promise<Machine> {
    gate.close()
    await environment().scale('app', 1)
    const machine = await gate.held()
    gate.open()
    return machine
  }

  const secretOf = (token: string): Promise<Secret | undefined> => environment().get<Secret>(secretPath(token))

  function audited(): readonly Audited[] {
    const lines = readFileSync(environment().plane?.auditFile ?? '', 'utf8')
      .trim()
      .split('\n')
    return lines.map((line) => JSON.parse(line) as Audited)
  }

  /** Boots the machine. Checks that it does not join, that its claim ends, and that another machine takes its place. */
  async function doesNotJoin(machine: Machine): Promise<void> {
    const said = new Set<string>()
    const joined = new Set<string>()
    const informer = startInformer(NODE_CLAIMS, { client: environment().stack.client })
    informer.onChange((now) => {
      if (`joiner-${now?.metadata.name}` !== machine.name) return
      for (const { type, status, reason } of now?.status?.conditions ?? []) {
        said.add(`${type} ${status} ${reason}`)
        if (type === 'Registered' && status === 'True') joined.add(machine.name)
      }
    })
    try {
      const refusedBefore = refusals()
      gate.boot(machine)
      await until(() => (refusals() > refusedBefore ? undefined : 'the API server refused nobody'))
      await until(() => (said.has('Registered Unknown RegistrationTimeout') ? undefined : `the claim said ${[...said]}`))
      await environment().settle(1)
      expect([...joined]).toEqual([])
      expect((await nodes(environment())).map(({ metadata }) => metadata.name)).not.toContain(machine.name)
      expect(environment().machinesMade()).toHaveLength(2)
    } finally {
      informer.close()
    }
  }

  /** The number of requests with an unknown token. */
  function refusals(): number {
    return audited().filter(({ responseStatus }) => responseStatus?.code === 401).length
  }

  describe('the token in a machine’s data', () => {
    it('is its claim’s own, lives for minutes, lets it join as its node, and is gone then', async () => {
      const machine = await oneHeld()
      const token = tokenOf(machine)
      const secret = await secretOf(token)
      expect(secret?.type).toBe('bootstrap.kubernetes.io/token')
      expect(`${decoded(secret?.data['token-id'])}.${decoded(secret?.data['token-secret'])}`).toBe(token)
      expect(decoded(secret?.data['description'])).toContain(machine.name.replace('joiner-', ''))
      expect(decoded(secret?.data['auth-extra-groups'])).toBe(`system:bootstrappers:joiner,system:bootstrappers:joiner:${machine.name}`)
      const life = Date.parse(decoded(secret?.data['expiration'])) - Date.parse(secret?.metadata.creationTimestamp ?? '')
      expect(life).toBeGreaterThan(REGISTRATION_SECONDS * 1_000)
      expect(life).toBeLessThanOrEqual((REGISTRATION_SECONDS + 61) * 1_000)

      gate.boot(machine)
      await environment().settle(1)
      expect(await secretOf(token)).toBeUndefined()
      const as = (verb: string, resource: string) =>
        audited().find(({ verb: done, objectRef, user }) => done === verb && objectRef?.resource === resource && isOf(user, machine, token))
      expect(as('create', 'certificatesigningrequests')?.user.username).toBe(`system:bootstrap:${token.slice(0, 6)}`)
      expect(as('create', 'nodes')?.user).toMatchObject({
        username: `system:node:${machine.name}`,
        groups: expect.arrayContaining(['system:nodes']),
      })
      expect(as('patch', 'leases')?.user.username).toBe(`system:node:${machine.name}`)
      const node = await environment().get<Node>(`/api/v1/nodes/${machine.name}`)
      expect(node?.status?.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }))
    })
  })

  describe('a machine does not join, and its claim ends and says so,', () => {
    it('with a token that expired', async () => {
      const machine = await oneHeld()
      const path = secretPath(tokenOf(machine))
      const past = Buffer.from(new Date(Date.now() - 60_000).toISOString()).toString('base64')
      await environment().patch(path, { data: { expiration: past } })
      await doesNotJoin(machine)
    })

    it('with a token of another cluster', async () => {
      const machine = await oneHeld()
      await doesNotJoin(withToken(machine, 'abcdef.0123456789abcdef'))
    })

    it('with a token that has been used', async () => {
      const used = tokenOf(await joinOne())
      const machine = await oneHeld()
      await doesNotJoin(withToken(machine, used))
    })
  })

  /** Lets a machine join and ends it. Returns the machine. */
  async function joinOne(): Promise<Machine> {
    const machine = await oneHeld()
    gate.boot(machine)
    await environment().settle(1)
    await environment().begin()
    return machine
  }
}

function isOf({ username }: Audited['user'], { name }: Machine, token: string): boolean {
  return username === `system:node:${name}` || username === `system:bootstrap:${token.slice(0, 6)}`
}
