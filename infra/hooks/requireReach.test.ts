import { describe, expect, it } from 'vitest'
import { epochMs } from '../../shared/model/units.ts'
import { requireReach } from './requireReach.ts'
import { runPredeploy } from './runRoleWaits.ts'

const answered = (status: number, body: string | null = null) => {
  const asked: string[] = []
  const web = async (url: string): Promise<Response> => {
    asked.push(url)
    return new Response(body, { status })
  }
  return { asked, web }
}

describe('the way to the Kudu of an app', () => {
  it.each([
    ['https://func-joiner-abc.azurewebsites.net', 'https://func-joiner-abc.scm.azurewebsites.net/'],
    ['https://func-joiner-abc-h1.eastus-01.azurewebsites.net', 'https://func-joiner-abc-h1.scm.eastus-01.azurewebsites.net/'],
  ])('of %s is looked for at %s', async (endpoint, url) => {
    const { asked, web } = answered(401)
    await requireReach({ web }, endpoint)
    expect(asked).toEqual([url])
  })

  it.each([200, 302, 401, 404, 503])('is there where Kudu answers %i', async (status) => {
    await expect(requireReach(answered(status), 'https://app.azurewebsites.net')).resolves.toBeUndefined()
  })

  it.each([
    ['Kudu refuses the address', answered(403, 'Ip Forbidden').web, 'answered 403'],
    ['its name leads nowhere', () => Promise.reject(new Error('getaddrinfo ENOTFOUND')), 'did not answer: getaddrinfo ENOTFOUND'],
  ])('is not there where %s, and the message says where to run azd up', async (_, web, why) => {
    await expect(requireReach({ web }, 'https://app.azurewebsites.net')).rejects.toThrow(
      new RegExp(`AZURE.FAILED .*https://app.scm.azurewebsites.net/ ${why}.* run azd up again on a machine in the network of a cluster`),
    )
  })
})

describe('the hook before the code is deployed', () => {
  const environment = {
    AZURE_SUBSCRIPTION_ID: 's',
    AZURE_RESOURCE_GROUP: 'rg-joiner-dev',
    JOINER_APP_ENDPOINT: 'https://app.azurewebsites.net',
  }
  const world = () => {
    const { asked, web } = answered(403)
    const arm = async () => ({ status: 200, body: { value: [] }, headers: {} })
    const clock = { now: () => epochMs(0), sleep: () => Promise.resolve() }
    return { asked, access: { web, arm, clock }, print: () => undefined }
  }

  it('asks for the way with network=private', async () => {
    const { access, print } = world()
    await expect(runPredeploy({ environment: { ...environment, JOINER_NETWORK: 'private' }, access, print })).rejects.toThrow('403')
  })

  it.each([undefined, '', 'public', 'vnet'])('asks nobody with network=%s, where everybody reaches Kudu', async (network) => {
    const { asked, access, print } = world()
    const given = network === undefined ? environment : { ...environment, JOINER_NETWORK: network }
    expect([await runPredeploy({ environment: given, access, print }), asked]).toEqual([0, []])
  })
})
