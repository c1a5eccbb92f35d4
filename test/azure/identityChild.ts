/** A program for a process of its own: gets a token with the named credential and calls ARM. Trusts the certificates of NODE_EXTRA_CA_CERTS. */
import { ComputeManagementClient } from '@azure/arm-compute'
import { ClientAssertionCredential, ClientSecretCredential, ManagedIdentityCredential, type TokenCredential } from '@azure/identity'

const env = (name: string): string => process.env[name] ?? ''
const authority = { authorityHost: env('ENTRA_AUTHORITY'), disableInstanceDiscovery: true }
const credentials: Record<string, () => TokenCredential> = {
  managed: () => new ManagedIdentityCredential(),
  assigned: () => new ManagedIdentityCredential({ clientId: env('CLIENT_ID') }),
  secret: () => new ClientSecretCredential(env('TENANT'), env('CLIENT_ID'), env('SECRET'), authority),
  federated: () => new ClientAssertionCredential(env('TENANT'), env('CLIENT_ID'), async () => env('ASSERTION'), authority),
}
const credential = credentials[process.argv[2] ?? '']?.()
if (credential === undefined) throw new Error('name a credential')
const client = new ComputeManagementClient(credential, env('SUBSCRIPTION'), {
  endpoint: env('ARM_ENDPOINT'),
  retryOptions: { maxRetries: 0 },
})
const names: string[] = []
for await (const vm of client.virtualMachines.list(env('GROUP'))) names.push(vm.name ?? '')
const token = await credential.getToken('https://management.azure.com/.default')
process.stdout.write(
  JSON.stringify({ machines: names, claims: JSON.parse(Buffer.from(token?.token.split('.')[1] ?? '', 'base64url').toString('utf8')) }),
)
