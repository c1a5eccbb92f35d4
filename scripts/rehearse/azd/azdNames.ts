// The names that azd itself calls. Those of an installation are added by the rehearsal.
import type { LocalAzure } from '../../../local/azure/startAzure.ts'
import type { Destination, NameService, Refusal } from '../../../local/internet/startInternet.ts'

export function azdNames({
  armUrl,
  authorityUrl,
  caCertificate: ca,
}: Pick<LocalAzure, 'armUrl' | 'authorityUrl' | 'caCertificate'>): NameService {
  const names: Readonly<Record<string, Destination | Refusal>> = {
    'management.azure.com': { url: armUrl, ca },
    'login.microsoftonline.com': { url: authorityUrl, ca },
    // The list of azd's extensions. Azure's short links have no part here, and azd goes on without it.
    'aka.ms': { status: 404, why: 'no extensions of azd are rehearsed' },
  }
  return (host) => names[host]
}
