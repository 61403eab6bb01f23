"""What needs PyTorch; run with the environment of tools/distil/requirements.txt."""

from __future__ import annotations

import pytest

from tests.tools import distil

torch = pytest.importorskip("torch", reason="PyTorch is only in the environment of tools/distil")
checkpoint, decoder, losses = distil("checkpoint"), distil("decoder"), distil("losses")

BATCH, SAMPLES = 2, 6000


def naive(teacher, draws, n_fft):
    """The energy distance as one would write it, differentiated by torch."""
    window = torch.hann_window(n_fft)
    waves = torch.cat([teacher, draws])
    size = torch.stft(
        waves, n_fft, n_fft // 4, window=window, pad_mode="constant", return_complex=True
    ).abs()
    size = size / window.sum()

    def distance(values):
        target, first, second = values.chunk(3)
        near = (target - first).abs().mean() + (target - second).abs().mean()
        return 0.5 * near - 0.5 * (first - second).abs().mean()

    loss = distance((size + 1e-5).log())
    loss = loss + 0.5 * distance(size) / (size[:BATCH].mean() + 1e-5)
    if n_fft == losses.MEL_RESOLUTION:
        bands = losses.mel_filters(n_fft) @ size
        loss = loss + 1.5 * distance((bands + 1e-4).log())
    return loss


@pytest.mark.parametrize("n_fft", losses.RESOLUTIONS)
def test_the_written_gradient_is_that_of_the_loss(n_fft):
    torch.manual_seed(0)
    teacher = 0.1 * torch.randn(BATCH, SAMPLES)
    draws = (0.1 * torch.randn(2 * BATCH, SAMPLES)).requires_grad_()
    expected = naive(teacher, draws, n_fft)
    (expected_gradient,) = torch.autograd.grad(expected, draws)
    found = losses.energy_distance(teacher, draws, {n_fft: 1.0})
    (gradient,) = torch.autograd.grad(found, draws)
    assert found.item() == pytest.approx(expected.item(), rel=1e-5)
    assert (gradient - expected_gradient).norm() < 1e-4 * expected_gradient.norm()


def test_one_drawn_resolution_stands_for_three():
    for _ in range(5):
        weights = losses.drawn_weights()
        assert weights.pop(losses.MEL_RESOLUTION) == 1
        assert sum(weights.values()) == len(losses.RESOLUTIONS) - 1


def test_the_filter_bank_gives_back_what_it_was_given():
    stft = decoder.Stft()
    samples = torch.randn(1, 150 * 40)
    again = stft.synthesise(stft.analyse(samples))
    assert again.shape == samples.shape
    assert torch.allclose(again[:, 600:-600], samples[:, 600:-600], atol=1e-5)


def test_a_checkpoint_gives_back_the_averaged_weights(tmp_path):
    student = decoder.Decoder(decoder.Shape(width=16, blocks=2, style=4))
    state = {
        "shape": {"width": 16, "blocks": 2, "style": 4},
        "average": student.state_dict(),
    }
    path = tmp_path / "last.pt"
    checkpoint.save(path, state)
    checkpoint.save(path, state)
    assert path.with_suffix(".previous").exists()
    again = checkpoint.load_decoder(path).state_dict()
    assert all(torch.equal(value, again[name]) for name, value in student.state_dict().items())


def test_the_shipped_weights_can_be_trained_on():
    student = checkpoint.load_decoder(
        distil("corpus").FOLDER.parents[2] / "models/lite-decoder/decoder.onnx"
    )
    assert student.shape == decoder.Shape(width=256, blocks=8, style=64)
