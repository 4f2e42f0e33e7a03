import { toUrl } from '../../src/process/to-url.js';

describe('a URL', () => {
  it('is parsed as often as it is given', () => {
    for (let call = 0; call < 20_000; call++) {
      expect(toUrl('https://lists.münchen.example')?.hostname).toBe('lists.xn--mnchen-3ya.example');
    }
  });

  it('is undefined if it is invalid', () => {
    expect(toUrl('https://')).toBeUndefined();
    expect(toUrl('/u')).toBeUndefined();
  });
});
