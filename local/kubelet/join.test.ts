import { describe, expect, it } from 'vitest'
import { createAuthority } from '../certificates/authority.ts'
import { NODES } from '../cluster/client/resource.ts'
import type { LocalKubernetes } from '../kubernetes/kubernetesOptions.ts'
import { type BootFacts, TEST_FLAGS, testCustomData, testMachine } from './testing/machines.ts'
import { withCluster } from './testing/withCluster.ts'

type Case = { readonly facts: Partial<BootFacts>; readonly want: { readonly stage: string; readonly message: string } }

const REFUSED: { readonly [sentence: string]: Case } = {
  'an unknown flag': {
    facts: { flags: `${TEST_FLAGS} --colour=red` },
    want: { stage: 'kubelet', message: 'failed to parse kubelet flag: unknown flag: --colour' },
  },
  'a flag this version no longer has': {
    facts: { flags: `${TEST_FLAGS} --pod-infra-container-image=pause`, version: '1.35.0' },
    want: { stage: 'kubelet', message: 'failed to parse kubelet flag: unknown flag: --pod-infra-container-image' },
  },
  'flags that contradict each other': {
    facts: { flags: `${TEST_FLAGS} --image-gc-high-threshold=10` },
    want: { stage: 'kubelet', message: 'invalid configuration: image-gc-low-threshold 80 must be less than image-gc-high-threshold 10' },
  },
  'a label a kubelet may not give itself': {
    facts: { labels: 'node-role.kubernetes.io/agent=' },
    want: {
      stage: 'kubelet',
      message: "unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels: [node-role.kubernetes.io/agent]",
    },
  },
  'a token nobody made': {
    facts: { token: 'fedcba.0123456789abcdef' },
    want: { stage: 'credential', message: 'the API server does not know the bootstrap token: wrong, expired or deleted (401)' },
  },
  'a token that is none': {
    facts: { token: 'secret' },
    want: { stage: 'customData', message: 'TLS_BOOTSTRAP_TOKEN is no bootstrap token (6 characters, a point, 16 characters)' },
  },
  'no certificate authority': {
    facts: { ca: 'hello' },
    want: { stage: 'customData', message: 'KUBE_CA_CRT is no base64 of a PEM certificate' },
  },
  'an API server nobody serves': {
    facts: { apiServer: '127.0.0.1:1' },
    want: { stage: 'connect', message: 'cannot reach the API server: ECONNREFUSED: connect ECONNREFUSED 127.0.0.1:1' },
  },
  'a word that no image has': {
    facts: { waitsFor: '#EOF' },
    want: {
      stage: 'provision',
      message: 'waits for "#EOF" in /opt/azure/containers/provision.sh; images since 2026-05-26 have no such text',
    },
  },
  'a label that the image cuts to no key': {
    facts: { labels: `example.com/${'a'.repeat(50)}-${'b'.repeat(9)}=c` },
    want: { stage: 'kubelet', message: `invalid node label key "example.com/${'a'.repeat(50)}-"` },
  },
  'a version that is none': {
    facts: { version: 'latest' },
    want: { stage: 'customData', message: 'KUBERNETES_VERSION "latest" is no version such as 1.33.2' },
  },
}

const ONLY_NODES = { speed: 50, controllers: { which: ['cloudnode'] } } as const

describe('a machine that must not join', () => {
  for (const [sentence, { facts, want }] of Object.entries(REFUSED)) {
    it(`says why: ${sentence}`, async () => {
      await withCluster(ONLY_NODES, async ({ api, boot, kubelets, until }) => {
        boot('joiner-one', facts)
        const line = await until('a refusal', async () => kubelets.logs.find(({ machine }) => machine === 'joiner-one'))
        expect({ stage: line.stage, message: line.message }).toEqual(want)
        expect(await api.get(NODES, { name: 'joiner-one' })).toMatchObject({ ok: false, error: { code: 404 } })
      })
    })
  }

  it('says that the authority did not sign the server', async () => {
    const { certificate: authority } = await createAuthority('joiner local test')
    await withCluster(ONLY_NODES, async ({ boot, kubelets, until }) => {
      boot('joiner-one', { ca: authority })
      const line = await until('a refusal', async () => kubelets.logs[0])
      expect([line.stage, line.message.replace(/: [A-Z_]+$/, '')]).toEqual([
        'connect',
        "the API server's certificate is not signed by KUBE_CA_CRT",
      ])
    })
  })

  it('says that the server has another name', async () => {
    const dial = ({ url }: LocalKubernetes) => ({ apiServerOverride: new URL(url).host })
    await withCluster({ ...ONLY_NODES, kubelets: dial }, async ({ boot, kubelets, until }) => {
      boot('joiner-one', { apiServer: 'other.example' })
      const line = await until('a refusal', async () => kubelets.logs[0])
      expect([line.stage, line.message.split(':')[0]]).toEqual([
        'connect',
        "the API server's certificate is for another name than API_SERVER_NAME",
      ])
    })
  })

  it('does not run binaries of another architecture', async () => {
    await withCluster(ONLY_NODES, async ({ kubernetes, machines, kubelets, until }) => {
      const script = Buffer.from(testCustomData({ ca: kubernetes.caCertificate }), 'base64').toString()
      const customData = Buffer.from(script.replace('set -o', 'CNI_PLUGINS_URL=https://x/cni-linux-arm64.tgz\nset -o')).toString('base64')
      machines.start(testMachine('joiner-one', customData))
      const line = await until('a refusal', async () => kubelets.logs[0])
      expect(line.message).toBe('exec format error: the binaries are for arm64, Standard_D8s_v5 is amd64')
    })
  })

  it('needs a script that starts the kubelet', async () => {
    await withCluster(ONLY_NODES, async ({ machines, kubelets, until }) => {
      machines.start(testMachine('joiner-one', Buffer.from('#!/bin/bash\necho provision\n').toString('base64')))
      machines.start(testMachine('joiner-two', 'aGVsbG8='))
      await until('two refusals', async () => kubelets.logs.length === 2)
      expect(kubelets.logs.map(({ message }) => message)).toEqual([
        'never runs provision_start.sh, so nothing on the machine starts the kubelet',
        'is no base64 of a script that starts with #!',
      ])
    })
  })

  it('joins a server at another address under its own name only', async () => {
    await withCluster(ONLY_NODES, async ({ kubernetes, boot, until, api }) => {
      const port = new URL(kubernetes.url).port
      boot('joiner-one', { apiServer: `localhost:${port}` })
      await until('the node', async () => (await api.get(NODES, { name: 'joiner-one' })).ok)
    })
  })
})

describe('a machine that stops', () => {
  it('falls silent at once and its node goes', async () => {
    await withCluster(ONLY_NODES, async ({ api, boot, machines, kubelets, until }) => {
      boot('joiner-one')
      await until('the node', async () => (await api.get(NODES, { name: 'joiner-one' })).ok)
      machines.stop('joiner-one')
      await until('no node', async () => !(await api.get(NODES, { name: 'joiner-one' })).ok)
      expect(kubelets.logs.at(-1)).toMatchObject({ machine: 'joiner-one', stage: 'off' })
    })
  })

  it('comes back after a restart as the same node, with another boot id, and needs no token', async () => {
    await withCluster(ONLY_NODES, async ({ api, boot, machines, kubelets, until }) => {
      boot('joiner-one')
      const seen = async () => {
        const node = await api.get(NODES, { name: 'joiner-one' })
        return node.ok ? { uid: node.value.metadata.uid, bootId: node.value.status?.nodeInfo?.bootID } : undefined
      }
      const isReady = (times: number) => kubelets.logs.filter(({ stage }) => stage === 'ready').length === times
      await until('the node ready', async () => isReady(1))
      const before = await seen()
      expect(before?.bootId).toBe('boot of joiner-one')
      machines.restart('joiner-one', 'second boot')
      await until('the node ready again', async () => isReady(2))
      expect(await seen()).toEqual({ uid: before?.uid, bootId: 'second boot' })
    })
  })

  it('is called unreachable when the cloud does not say', async () => {
    const options = { speed: 50, controllers: { which: ['nodelifecycle'], silenceMs: 500 } } as const
    await withCluster(options, async ({ api, boot, machines, until }) => {
      boot('joiner-one')
      const conditionOfNode = async () => {
        const seen = await api.get(NODES, { name: 'joiner-one' })
        return seen.ok ? seen.value.status?.conditions?.find(({ type }) => type === 'Ready')?.status : undefined
      }
      await until('the node ready', async () => (await conditionOfNode()) === 'True')
      machines.stop('joiner-one')
      await until('the node unknown', async () => (await conditionOfNode()) === 'Unknown')
      const taints = await until('the taints', async () => {
        const seen = await api.get(NODES, { name: 'joiner-one' })
        const keys = seen.ok ? (seen.value.spec.taints ?? []).map(({ key, effect }) => `${key}:${effect}`) : []
        return keys.some((each) => each.startsWith('node.kubernetes.io/unreachable')) && keys
      })
      expect(taints.sort()).toEqual([
        'karpenter.sh/unregistered:NoExecute',
        'node.cloudprovider.kubernetes.io/uninitialized:NoSchedule',
        'node.kubernetes.io/unreachable:NoExecute',
        'node.kubernetes.io/unreachable:NoSchedule',
      ])
    })
  })
})
