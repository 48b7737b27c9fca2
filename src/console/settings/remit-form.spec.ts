import { describe, expect, it } from '@jest/globals';
import { RemitText, remitText } from './remit-form.js';

const read = (text: string) => RemitText.parse(text);

describe('a remit in a form', () => {
  it('is departments, roles, or roles in a department, one a line or with commas', () => {
    const remit = [{ department: 'platform' }, { role: 'ci' }, { department: 'shop', role: 'backend' }];
    expect(read(' platform \n:ci\r\n\n shop : backend ')).toEqual(remit);
    expect(read('platform, :ci; shop:backend')).toEqual(remit);
    expect(read(remitText(remit))).toEqual(remit);
  });

  it('is the whole organisation where nothing stands', () => {
    expect([read(''), read(' \n , ')]).toEqual([null, null]);
    expect(remitText(null)).toBe('');
  });

  it('names the part that is none', () => {
    const { error } = RemitText.safeParse('platform\n:\n<b>:ci');
    expect(error?.issues.map(({ path }) => path)).toEqual([[1], [2, 'department']]);
    expect(RemitText.safeParse(Array(51).fill('a').join()).success).toBe(false);
  });
});
