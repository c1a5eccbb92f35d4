import { beforeAll, describe, expect, it } from 'vitest'
import { createAuthority } from '../certificates/authority.ts'
import { type BootConfig, readBootConfig } from './bootConfig.ts'
import { NODE_IMAGES } from './image/nodeImage.ts'
import { type BootFacts, TEST_FLAGS, testCustomData } from './testing/machines.ts'

let ca = ''
beforeAll(async () => {
  ca = (await createAuthority('joiner test')).certificate
})

/** Returns the customData of a valid boot script, changed by `facts`, with `lines` before its end. */
function customData(facts: Partial<BootFacts> = {}, ...lines: readonly string[]): string {
  const script = Buffer.from(testCustomData({ ca, ...facts }), 'base64').toString()
  return Buffer.from(script.replace('\nuntil ', `\n${[...lines, 'until '].join('\n')}`)).toString('base64')
}

function configOf(data: string): BootConfig {
  const read = readBootConfig(data)
  if (!read.ok) throw new Error(read.error.message)
  return read.value
}

const messageOf = (data: string): string => {
  const read = readBootConfig(data)
  return read.ok ? 'it boots' : `${read.error.stage}: ${read.error.message}`
}

describe('what a machine reads of its customData', () => {
  it('is where the API server is, whom to trust, what to show, which version, flags and labels', () => {
    const config = configOf(customData({ apiServer: 'demo.hcp.eastus.azmk8s.io:443', version: 'v1.33.2', labels: 'a=b,c=' }))
    expect(config).toMatchObject({
      apiServer: { host: 'demo.hcp.eastus.azmk8s.io', port: 443 },
      ca,
      bootstrapToken: 'abcdef.0123456789abcdef',
      version: { text: '1.33.2', minor: 33 },
      labels: { a: 'b', c: '' },
      arch: undefined,
      hasGpuDriver: false,
      startsFabricManager: false,
    })
    expect(config.settings.maxPods).toBe(110)
    expect(config.settings.taints).toEqual([{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' }])
  })

  it.each([
    ['demo.example', { host: 'demo.example', port: 443 }],
    ['10.0.0.1:6443', { host: '10.0.0.1', port: 6443 }],
    ['a', { host: 'a', port: 443 }],
    ['demo:1', { host: 'demo', port: 1 }],
    ['demo:65535', { host: 'demo', port: 65_535 }],
  ])('takes the API server %s', (apiServer, want) => {
    expect(configOf(customData({ apiServer })).apiServer).toEqual(want)
  })

  it.each(['demo:0', 'demo:65536', 'demo:', 'https://demo', '-demo', 'demo.', 'a b', 'demo:123456', 'demo/x'])(
    'refuses the API server %s',
    (apiServer) => {
      expect(messageOf(customData({ apiServer }))).toBe(`customData: API_SERVER_NAME "${apiServer}" is no host name or host:port`)
    },
  )

  it.each([
    'abcdef.0123456789abcdeX',
    'abcde.0123456789abcdef',
    'xabcdef.0123456789abcdef',
    'abcdef.0123456789abcdefx',
    'abcdef-0123456789abcdef',
  ])('refuses the token %s', (token) => {
    expect(messageOf(customData({ token }))).toBe(
      'customData: TLS_BOOTSTRAP_TOKEN is no bootstrap token (6 characters, a point, 16 characters)',
    )
  })

  it.each(['1.33', 'x1.33.2', '2.33.1', '1.33.x', 'latest'])('refuses the version %s', (version) => {
    expect(messageOf(customData({ version }))).toBe(`customData: KUBERNETES_VERSION "${version}" is no version such as 1.33.2`)
  })

  it('takes what comes after a version as part of it', () => {
    expect(configOf(customData({ version: '1.34.10-rc.1' })).version).toEqual({ text: '1.34.10-rc.1', minor: 34 })
  })

  it.each(['API_SERVER_NAME', 'KUBE_CA_CRT', 'TLS_BOOTSTRAP_TOKEN', 'KUBERNETES_VERSION', 'KUBELET_FLAGS'])('needs %s', (name) => {
    expect(messageOf(customData({}, `${name}=`))).toBe(`customData: ${name} is not set`)
    expect(messageOf(customData({}, `${name}=$(curl x)`))).toBe(`customData: ${name} is computed by the script; give its value`)
  })

  it('needs no labels of the node beyond those of its flags, and both where both are given', () => {
    const flags = `${TEST_FLAGS} --node-labels=x=y`
    expect(configOf(customData({ labels: '', flags })).labels).toEqual({ x: 'y' })
    expect(configOf(customData({ labels: 'a=b', flags })).labels).toEqual({ a: 'b', x: 'y' })
  })

  it('cuts the labels of the node as its image does', () => {
    const key = `example.com/${'a'.repeat(60)}`
    const labelsOn = (index: number) => {
      const read = readBootConfig(customData({ labels: `${key}=b` }), NODE_IMAGES[index])
      return read.ok ? Object.keys(read.value.labels) : read.error
    }
    expect(NODE_IMAGES.map((_image, index) => labelsOn(index))).toEqual([[key], [key], [key.slice(0, 63)]])
  })

  it('does not join where the script says that it must not', () => {
    expect(messageOf(customData({}, 'ENABLE_TLS_BOOTSTRAPPING=false'))).toBe('customData: ENABLE_TLS_BOOTSTRAPPING is not true')
    expect(messageOf(customData({}, 'ENABLE_TLS_BOOTSTRAPPING=true'))).toBe('it boots')
  })

  it.each(['KUBE_BINARY_URL', 'CREDENTIAL_PROVIDER_DOWNLOAD_URL', 'VNET_CNI_PLUGINS_URL', 'CNI_PLUGINS_URL'])(
    'knows by %s what its binaries are for',
    (name) => {
      expect(configOf(customData({}, `${name}=https://x/y-linux-arm64.tgz`)).arch).toBe('arm64')
      expect(configOf(customData({}, `${name}=https://x/y-linux-amd64.tgz`)).arch).toBe('amd64')
      expect(configOf(customData({}, `${name}=https://x/y.tgz`)).arch).toBeUndefined()
    },
  )

  it('knows whether it has a GPU driver, and whether its GPUs are joined', () => {
    expect(configOf(customData({}, 'GPU_NODE=true', 'GPU_NEEDS_FABRIC_MANAGER=false'))).toMatchObject({
      hasGpuDriver: true,
      startsFabricManager: false,
    })
    expect(configOf(customData({}, 'GPU_NODE=false', 'GPU_NEEDS_FABRIC_MANAGER=true'))).toMatchObject({
      hasGpuDriver: false,
      startsFabricManager: true,
    })
  })

  it('is refused with the first thing that is wrong', () => {
    expect(messageOf('')).toBe('customData: is no base64 of a script that starts with #!')
    expect(messageOf(customData({ waitsFor: '#EOF', token: 'x' }))).toMatch(/^provision: /)
    expect(messageOf(customData({ ca: '' }))).toBe('customData: KUBE_CA_CRT is not set')
    expect(messageOf(customData({ ca: 'hello', token: 'x' }))).toBe('customData: KUBE_CA_CRT is no base64 of a PEM certificate')
    expect(messageOf(customData({ flags: '--nothing', labels: 'kubernetes.io/x=y' }))).toMatch(/^kubelet: .*--nothing/)
    expect(messageOf(customData({ labels: 'kubernetes.io/x=y' }))).toMatch(/^kubelet: unknown 'kubernetes.io'/)
  })
})
