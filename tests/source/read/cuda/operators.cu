/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The host computes each operator; test_source.sh has the grids. */
__global__ void k(float *a) { a[threadIdx.x] *= 2; }
int main()
{
    float *a;
    int five = 5, i = 3;
    unsigned u = 33;
    cudaMalloc(&a, 4096);
    k<<<five | 10, 32>>>(a);
    k<<<6 & five + 2, 32>>>(a);
    k<<<five ^ 1, 32>>>(a);
    k<<<1 << five, 32>>>(a);
    k<<<u >> 2, 32>>>(a);
    k<<<-7 / 2 + 13, 32>>>(a);
    k<<<-7 % five + 13, 32>>>(a);
    k<<<(five > 5) + 2 * (five >= 5) + 4 * (five < 5) + 8 * (five <= 5) + 16 * (five == 5) + 32 * (five != 5), 32>>>(a);
    k<<<~-18, 32>>>(a);
    k<<<!five + 18, 32>>>(a);
    k<<<(five && 0) + 19, 32>>>(a);
    k<<<(0 || five) + 19, 32>>>(a);
    k<<<five ? 21 : 22, 32>>>(a);
    k<<<i++ + 19, 32>>>(a);
    k<<<++i + 18, 32>>>(a);
    k<<<i-- + 19, 32>>>(a);
    k<<<--i + 22, 32>>>(a);
    k<<<(five += 21, five), 32>>>(a);
    k<<<(five -= -1, five), 32>>>(a);
    k<<<(i *= 4, i + 16), 32>>>(a);
    k<<<(i /= 5, i + 27), 32>>>(a);
    k<<<(i <<= 1, i + 26), 32>>>(a);
    k<<<(five |= 4, five), 32>>>(a);
    k<<<(five &= 29, five), 32>>>(a);
    k<<<(five %= 16, five), 32>>>(a);
    k<<<(five ^= 44, five), 32>>>(a);
    k<<<(u >>= 1, u), 32>>>(a);
    k<<<1.9 * 2, 32>>>(a);
    k<<<(int)3.7 * 2, 32>>>(a);
    k<<<sizeof(double) * 5, 32>>>(a);
    k<<<five / 3.0, 32>>>(a);
    int sizes[] = {34, 36, 35}, sum = 0;
    for (int n : sizes) k<<<n, 32>>>(a);
    for (int &n : sizes) n += 3;
    for (int n : sizes) {
        if (n == 39) continue;
        k<<<n, 32>>>(a);
    }
    for (int n : sizes) {
        k<<<n + 2, 32>>>(a);
        if (n == 39) break;
    }
    for (int n : sizes) sum += n;
    k<<<sum, 32>>>(a);
    cudaDeviceSynchronize();
}
