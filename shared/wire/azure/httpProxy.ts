import * as z from 'zod'
import { defined } from '../../base/values.ts'
import type { HttpProxy } from '../../model/clusterFacts.ts'

// The scripts of the image evaluate these values in a shell, so only what needs no quoting passes. AKS takes no user and no password in an address.
const URL = /^https?:\/\/[A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?(:\d{1,5})?\/?$/
const EXCEPTION = /^[A-Za-z0-9._:/-]{1,253}$/
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/
/** AKS takes no more certificate authorities. Source: properties.securityProfile.customCATrustCertificates (learn.microsoft.com, 2026-11). */
const MOST_CERTIFICATES = 10

const text = z.string()
/** The proxy as it is stored. */
export const storedProxy = z.object({
  ...{ http: text.exactOptional(), https: text.exactOptional() },
  ...{ noProxy: z.array(text).readonly(), configuredNoProxy: z.array(text).readonly().exactOptional() },
  trustedCa: text.exactOptional(),
}) satisfies z.ZodType<HttpProxy>

const unset = z.literal('').nullish()
const address = text.regex(URL).or(unset)
const base64 = text.overwrite((value) => value.replaceAll(/\s/g, '')).regex(BASE64)
/** The `httpProxyConfig` of a cluster that nodes can be prepared for. */
export const usableProxy = z
  .object({ httpProxy: address, httpsProxy: address, noProxy: z.array(text.regex(EXCEPTION)).nullish(), trustedCa: base64.or(unset) })
  .refine(({ httpProxy, httpsProxy }) => Boolean(httpProxy) || Boolean(httpsProxy))
  // Without an address of its own, https goes through the proxy of http. Source: "HTTP proxy support in AKS" (learn.microsoft.com, 2026).
  .transform(({ httpProxy, httpsProxy, noProxy, trustedCa }): HttpProxy => {
    const addresses = { http: httpProxy || undefined, https: httpsProxy || httpProxy || undefined, trustedCa: trustedCa || undefined }
    return { noProxy: noProxy ?? [], ...defined(addresses) }
  })
/** The `customCATrustCertificates` of a cluster that nodes can be prepared for, each on one line. */
export const usableCertificates = z.array(base64).max(MOST_CERTIFICATES)
