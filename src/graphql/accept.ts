import { ParleyError } from '../core/errors.ts';
import { acceptedIn } from '../http/accepted.ts';

const wildcard = /^\s*(?:\*|application)\/\*\s*(?:;|$)/i;
const refusesJson = /(?:^|,)\s*application\/json\s*;\s*q=0(?:\.0*)?\s*(?:,|$)/i;
const refusesResponse = /(?:^|,)\s*application\/graphql-response\+json\s*;\s*q=0(?:\.0*)?\s*(?:,|$)/i;

/** 415: none of the media types that there are is accepted. */
export const notAcceptable = (): ParleyError =>
  new ParleyError(
    'unsupported_media_type',
    'Accept application/graphql-response+json, application/json or text/csv: no other response format is available.',
  );

/** An Accept header without what it refuses by a weight of zero: Yoga reads none. Throws 415 if nothing is left. */
export function withoutRefused(accept: string): string {
  const ranges = acceptedIn(accept);
  if (ranges.length === 0) throw notAcceptable();
  // For whatever is accepted beside JSON, Yoga would choose JSON.
  if (refusesJson.test(accept) && ranges.some((range) => wildcard.test(range))) {
    if (refusesResponse.test(accept)) throw notAcceptable();
    ranges.unshift('application/graphql-response+json');
  }
  return ranges.join();
}
